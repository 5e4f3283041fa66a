import type { Decimal } from "@sluice/contracts/money";
import { cardSenders } from "@sluice/contracts/payments";
import { renewalEnds, renewalStatuses } from "@sluice/contracts/renewals";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { salesOrder } from "./billing.ts";
import { userGroup } from "./groups.ts";
import { organisation } from "./organisations.ts";

const usd = (name: string) => numeric(name, { precision: 14, scale: 2 }).$type<Decimal>();

/** A subscription at the card gateway, which charges for a month of a plan again and again. */
export const renewal = pgTable(
  "renewal",
  {
    id: id(),
    renewalNo: text("renewal_no").notNull().unique(),
    /** Who agreed to it, and whose card is charged. */
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    /** The organisation whose months it pays; null for the user's own. */
    organisationId: reference("organisation_id").references(() => organisation.id),
    /** Its terms: those of the plan when the customer agreed to them, or was told of new ones. */
    planCode: text("plan_code").notNull(),
    planName: text("plan_name").notNull(),
    priceUsd: usd("price_usd").notNull(),
    quota: quota("quota").notNull(),
    groupName: text("group_name").references(() => userGroup.name),
    /** Our account at the card gateway. */
    account: text("account", { enum: cardSenders }).notNull(),
    status: text("status", { enum: renewalStatuses }).notNull().default("pending"),
    isCancelledAtEnd: boolean("is_cancelled_at_end").notNull().default(false),
    /** Who or what ended it; set before the gateway is asked to. */
    endReason: text("end_reason", { enum: renewalEnds }),
    /** Why an admin cancelled it. */
    note: text("note"),
    checkoutReference: text("checkout_reference"),
    checkoutUrl: text("checkout_url"),
    gatewaySubscriptionId: text("gateway_subscription_id"),
    gatewayCustomerId: text("gateway_customer_id"),
    /** The end of the last month that was paid. */
    periodEnd: moment("period_end"),
    /** Until when the month is kept while its renewal is expected. */
    keptUntil: moment("kept_until"),
    /** Set while the last charge has failed. */
    failedAt: moment("failed_at"),
    /** The plan's new terms, which hold for months that begin after `next_from`. */
    nextPlanName: text("next_plan_name"),
    nextPriceUsd: usd("next_price_usd"),
    nextQuota: quota("next_quota"),
    nextGroupName: text("next_group_name").references(() => userGroup.name),
    nextFrom: moment("next_from"),
    /** When the customer was told of them. */
    noticedAt: moment("noticed_at"),
    /** Counts what was applied of the gateway's state, so that an older answer never replaces a newer one. */
    version: integer("version").notNull().default(1),
    ...lifecycle,
  },
  (table) => [
    unique("renewal_gateway_subscription").on(table.account, table.gatewaySubscriptionId),
    uniqueIndex("renewal_pending")
      .on(table.userId, table.planCode)
      .where(sql`${table.organisationId} is null and ${table.status} = 'pending'`),
    uniqueIndex("renewal_pending_of_organisation")
      .on(table.organisationId, table.planCode)
      .where(sql`${table.organisationId} is not null and ${table.status} = 'pending'`),
    index("renewal_organisation").on(table.organisationId, table.id).where(sql`${table.organisationId} is not null`),
    index("renewal_user").on(table.userId, table.id),
    index("renewal_plan").on(table.planCode, table.createdAt, table.id),
    index("renewal_created").on(table.createdAt, table.id),
    index("renewal_status").on(table.status, table.createdAt, table.id),
    index("renewal_by_price").on(table.priceUsd, table.id),
    index("renewal_failed").on(table.keptUntil).where(sql`${table.status} = 'past_due'`),
    index("renewal_next").on(table.id).where(sql`${table.nextPriceUsd} is not null`),
    check("renewal_price", sql`${table.priceUsd} > 0 and ${table.quota} > 0`),
    check(
      "renewal_next_terms",
      sql`num_nonnulls(${table.nextPlanName}, ${table.nextPriceUsd}, ${table.nextQuota}) in (0, 3)
        and (${table.nextFrom} is null) = (${table.noticedAt} is null)`,
    ),
  ],
);

/** Append-only: an invoice of the gateway that was paid, and the order that it settled. */
export const renewalPeriod = pgTable(
  "renewal_period",
  {
    id: id(),
    renewalId: reference("renewal_id")
      .notNull()
      .references(() => renewal.id),
    account: text("account", { enum: cardSenders }).notNull(),
    invoiceId: text("invoice_id").notNull(),
    orderId: reference("order_id")
      .notNull()
      .references(() => salesOrder.id),
    periodStart: moment("period_start").notNull(),
    periodEnd: moment("period_end").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("renewal_period_invoice").on(table.account, table.invoiceId),
    unique("renewal_period_order").on(table.orderId),
    index("renewal_period_renewal").on(table.renewalId, table.periodEnd),
    check("renewal_period_span", sql`${table.periodEnd} > ${table.periodStart}`),
  ],
);
