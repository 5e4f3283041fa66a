import type { Decimal } from "@sluice/contracts/money";
import { cardSenders } from "@sluice/contracts/payments";
import { topUpAttemptStates, topUpStatuses, topUpStops } from "@sluice/contracts/top-ups";
import { sql } from "drizzle-orm";
import { check, index, integer, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { salesOrder } from "./billing.ts";
import { organisation } from "./organisations.ts";

const usd = (name: string) => numeric(name, { precision: 14, scale: 2 }).$type<Decimal>();

/** What a customer agreed to be charged when the balance is low, and the saved method by its name at the gateway. */
export const autoTopUp = pgTable(
  "auto_top_up",
  {
    id: id(),
    topUpNo: text("top_up_no").notNull().unique(),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    /** The organisation whose account it is; null for the user's own. */
    organisationId: reference("organisation_id").references(() => organisation.id),
    planCode: text("plan_code").notNull(),
    planName: text("plan_name").notNull(),
    /** The amount that the buyer chose; null where the plan has a fixed price. */
    chosenUsd: usd("chosen_usd"),
    /** What each charge costs, with tax. A charge of anything else is not agreed to. */
    priceUsd: usd("price_usd").notNull(),
    thresholdQuota: quota("threshold_quota").notNull(),
    monthMaxUsd: usd("month_max_usd").notNull(),
    /** Our account at the card gateway. */
    account: text("account", { enum: cardSenders }).notNull(),
    status: text("status", { enum: topUpStatuses }).notNull().default("pending"),
    stopReason: text("stop_reason", { enum: topUpStops }),
    checkoutReference: text("checkout_reference"),
    checkoutUrl: text("checkout_url"),
    gatewayCustomerId: text("gateway_customer_id"),
    gatewayMethodId: text("gateway_method_id"),
    /** When the gateway had forgotten the method, and closed the page. */
    detachedAt: moment("detached_at"),
    /** Charges that failed one after another. */
    failures: integer("failures").notNull().default(0),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("auto_top_up_of_user")
      .on(table.userId)
      .where(sql`${table.organisationId} is null and ${table.status} in ('pending', 'on', 'stopped')`),
    uniqueIndex("auto_top_up_of_organisation")
      .on(table.organisationId)
      .where(sql`${table.organisationId} is not null and ${table.status} in ('pending', 'on', 'stopped')`),
    index("auto_top_up_status").on(table.status, table.id),
    index("auto_top_up_created").on(table.createdAt, table.id),
    index("auto_top_up_user").on(table.userId, table.id),
    check(
      "auto_top_up_amounts",
      sql`${table.priceUsd} > 0 and ${table.thresholdQuota} > 0 and ${table.monthMaxUsd} >= ${table.priceUsd}`,
    ),
    check("auto_top_up_stopped", sql`(${table.status} = 'stopped') = (${table.stopReason} is not null)`),
    check("auto_top_up_on", sql`${table.status} <> 'on' or ${table.gatewayMethodId} is not null`),
  ],
);

/** A charge of a saved method: one order. At most one of a wallet is open. */
export const topUpAttempt = pgTable(
  "top_up_attempt",
  {
    id: id(),
    topUpId: reference("top_up_id")
      .notNull()
      .references(() => autoTopUp.id),
    orderId: reference("order_id")
      .notNull()
      .unique()
      .references(() => salesOrder.id),
    state: text("state", { enum: topUpAttemptStates }).notNull().default("open"),
    /** The payment at the gateway, once it is known. */
    gatewayPaymentId: text("gateway_payment_id"),
    /** The gateway's code for a failure. */
    error: text("error"),
    /** Since when a person has to look at the gateway, because it has given no answer. */
    unclearSince: moment("unclear_since"),
    /** A process is asking the gateway until this time. */
    askingUntil: moment("asking_until"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("top_up_attempt_open").on(table.topUpId).where(sql`${table.state} = 'open'`),
    index("top_up_attempt_of").on(table.topUpId, table.createdAt),
  ],
);
