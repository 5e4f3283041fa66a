import { limitScopes } from "@sluice/contracts/account-limits";
import { sql } from "drizzle-orm";
import { check, date, index, integer, numeric, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { id, lifecycle, quota, reference } from "../columns.ts";
import { plan } from "./billing.ts";
import { gatewayUser } from "./gateway-keys.ts";
import { userGroup } from "./groups.ts";

/** What operators allow each account: everyone, the accounts of a group, buyers of a plan, or one account. Null for no limit. */
export const accountLimit = pgTable(
  "account_limit",
  {
    id: id(),
    scope: text("scope", { enum: limitScopes }).notNull(),
    groupName: text("group_name").references(() => userGroup.name),
    gatewayUserId: reference("gateway_user_id").references(() => gatewayUser.id),
    planCode: text("plan_code").references(() => plan.planCode),
    requestsPerMinute: integer("requests_per_minute"),
    tokensPerMinute: integer("tokens_per_minute"),
    concurrencyMax: integer("concurrency_max"),
    /** Quota per UTC day and month, over all keys and groups of an account. */
    spendPerDay: quota("spend_per_day"),
    spendPerMonth: quota("spend_per_month"),
    ...lifecycle,
  },
  (table) => [
    unique("account_limit_place")
      .on(table.scope, table.groupName, table.gatewayUserId, table.planCode)
      .nullsNotDistinct(),
    index("account_limit_plan").on(table.planCode).where(sql`${table.planCode} is not null`),
    index("account_limit_spend")
      .on(table.scope, table.groupName, table.gatewayUserId)
      .where(sql`${table.spendPerDay} is not null or ${table.spendPerMonth} is not null`),
    check(
      "account_limit_scope",
      sql`(${table.scope} = 'group') = (${table.groupName} is not null) and (${table.scope} = 'user') = (${table.gatewayUserId} is not null)
        and (${table.scope} = 'plan') = (${table.planCode} is not null)`,
    ),
    check(
      "account_limit_values",
      sql`${table.requestsPerMinute} > 0 and ${table.tokensPerMinute} > 0 and ${table.concurrencyMax} > 0 and ${table.spendPerDay} > 0 and ${table.spendPerMonth} > 0`,
    ),
  ],
);

/** What the calls of an account cost per UTC day, with their multiplier. A trigger of the usage log is its only writer. */
export const accountSpend = pgTable(
  "account_spend",
  {
    gatewayUserId: reference("gateway_user_id").notNull(),
    day: date("day").notNull(),
    /** Not a bigint: the settlement judges rows whose cost is beyond one, so the log has to take them. */
    spent: numeric("spent", { precision: 38, scale: 0 }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayUserId, table.day] })],
);
