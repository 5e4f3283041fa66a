import { limitScopes } from "@sluice/contracts/account-limits";
import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { id, lifecycle, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";
import { userGroup } from "./groups.ts";

/** What operators allow each account: everyone, the accounts of a group, or one account. Null for no limit. */
export const accountLimit = pgTable(
  "account_limit",
  {
    id: id(),
    scope: text("scope", { enum: limitScopes }).notNull(),
    groupName: text("group_name").references(() => userGroup.name),
    gatewayUserId: reference("gateway_user_id").references(() => gatewayUser.id),
    requestsPerMinute: integer("requests_per_minute"),
    tokensPerMinute: integer("tokens_per_minute"),
    concurrencyMax: integer("concurrency_max"),
    ...lifecycle,
  },
  (table) => [
    unique("account_limit_place").on(table.scope, table.groupName, table.gatewayUserId).nullsNotDistinct(),
    check(
      "account_limit_scope",
      sql`(${table.scope} = 'group') = (${table.groupName} is not null) and (${table.scope} = 'user') = (${table.gatewayUserId} is not null)`,
    ),
    check(
      "account_limit_values",
      sql`${table.requestsPerMinute} > 0 and ${table.tokensPerMinute} > 0 and ${table.concurrencyMax} > 0`,
    ),
  ],
);
