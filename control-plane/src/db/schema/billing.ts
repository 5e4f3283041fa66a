import type { Decimal } from "@sluice/contracts/money";
import { noticeResults } from "@sluice/contracts/payments";
import type { PlanTexts } from "@sluice/contracts/plan-texts";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, json, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { gatewayUser } from "./gateway-keys.ts";
import { userGroup } from "./groups.ts";
import { organisation } from "./organisations.ts";

const usd = (name: string) => numeric(name, { precision: 14, scale: 2 }).$type<Decimal>();

export const plan = pgTable(
  "plan",
  {
    id: id(),
    planCode: text("plan_code").notNull().unique(),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["wallet_balance", "monthly"] }).notNull(),
    priceUsd: usd("price_usd").notNull(),
    /** The quota that a settled order grants; for a monthly plan, in each month. */
    quota: quota("quota").notNull(),
    description: text("description").notNull().default(""),
    features: json("features").$type<readonly string[]>().notNull(),
    /** Name, description and features in other languages. */
    texts: json("texts").$type<PlanTexts>().notNull().default({}),
    sortOrder: integer("sort_order").notNull().default(0),
    status: text("status", { enum: ["active", "hidden"] })
      .notNull()
      .default("active"),
    version: integer("version").notNull().default(1),
    /** The group that its buyers are in until their month ends. */
    groupName: text("group_name").references(() => userGroup.name),
    /** Buyers choose the amount, within these bounds and in these steps; price and quota are then the rate. */
    amountMinUsd: usd("amount_min_usd"),
    amountMaxUsd: usd("amount_max_usd"),
    amountStepUsd: usd("amount_step_usd"),
    /** Whether customers can have the card gateway charge for it every month. */
    renews: boolean("renews").notNull().default(false),
    /** Since when it is out of use for good; months that were sold continue. */
    archivedAt: moment("archived_at"),
    ...lifecycle,
  },
  (table) => [
    check("plan_archived_is_hidden", sql`${table.archivedAt} is null or ${table.status} = 'hidden'`),
    check(
      "plan_amount",
      sql`num_nonnulls(${table.amountMinUsd}, ${table.amountMaxUsd}, ${table.amountStepUsd}) = 0
        or (num_nonnulls(${table.amountMinUsd}, ${table.amountMaxUsd}, ${table.amountStepUsd}) = 3
          and ${table.kind} = 'wallet_balance' and ${table.amountStepUsd} > 0
          and ${table.amountMinUsd} >= ${table.amountStepUsd} and ${table.amountMaxUsd} >= ${table.amountMinUsd})`,
    ),
    check("plan_renews_is_monthly", sql`not ${table.renews} or ${table.kind} = 'monthly'`),
    check("plan_group_is_monthly", sql`${table.groupName} is null or ${table.kind} = 'monthly'`),
    index("plan_group").on(table.groupName).where(sql`${table.groupName} is not null`),
  ],
);

/** An order keeps the plan's terms at the time it was placed: a later change of the plan changes no order. */
export const salesOrder = pgTable(
  "sales_order",
  {
    id: id(),
    orderNo: text("order_no").notNull().unique(),
    planCode: text("plan_code").notNull(),
    planName: text("plan_name").notNull(),
    planKind: text("plan_kind", { enum: ["wallet_balance", "monthly"] }).notNull(),
    quota: quota("quota").notNull(),
    groupName: text("group_name").references(() => userGroup.name),
    amountUsd: usd("amount_usd").notNull(),
    /** The amount that the buyer chose; null where the plan has a fixed price. */
    chosenUsd: usd("chosen_usd"),
    currency: text("currency").notNull().default("USD"),
    /** The tax that the amount includes, in percent; null for an order that gets no invoice. */
    taxRate: numeric("tax_rate", { precision: 7, scale: 4 }).$type<Decimal>(),
    /** What the invoice says about the rate. */
    taxNote: text("tax_note"),
    /** The buyer's data that the tax was decided by, until they are on the invoice; null if none were saved. */
    buyer: json("buyer"),
    /** Null until a logged-in user claims an anonymous order. */
    userId: reference("user_id").references(() => userProfile.id),
    /** The organisation whose account is credited; `user_id` is then the member who placed the order. */
    organisationId: reference("organisation_id").references(() => organisation.id),
    email: text("email"),
    payChannel: text("pay_channel", { enum: ["none", "mock", "walletpay", "cardpay", "code"] })
      .notNull()
      .default("none"),
    /** The account of the card gateway that the order uses, and the kind of payment. */
    sender: text("sender"),
    vendor: text("vendor"),
    status: text("status", { enum: ["pending", "settled", "cancelled", "expired", "refunded", "review"] })
      .notNull()
      .default("pending"),
    /** The order was paid after it was cancelled or had expired; it is credited anyway. */
    isPaidLate: boolean("is_paid_late").notNull().default(false),
    /** Nobody paid for the order: the development mock settled it. */
    isMock: boolean("is_mock").notNull().default(false),
    /** Why it needs a person's review. */
    reviewReason: text("review_reason"),
    /** The SHA-256 of the code with which an anonymous order is claimed. */
    claimCodeHash: bytes("claim_code_hash"),
    idempotencyKey: text("idempotency_key"),
    /** The visitor id of the page where the order was placed; it determines which campaign the payment comes from. */
    visitorId: text("visitor_id"),
    /** The gateway's id for its checkout. */
    gatewayReference: text("gateway_reference"),
    /** The page where the payer continues; an order never opens a second checkout. */
    checkoutUrl: text("checkout_url"),
    /** A process is opening the checkout of the order until this time. */
    openingUntil: moment("opening_until"),
    /** When the payment was counted in the campaign statistics; null if it was not. */
    campaignCountedAt: moment("campaign_counted_at"),
    /** An admin's decision about a payment that did not match: credit it anyway, send it back, or leave it. */
    resolution: text("resolution", { enum: ["settle", "refund", "cancel"] }),
    expiresAt: moment("expires_at").notNull(),
    settledAt: moment("settled_at"),
    /**
     * When the quota was credited. This is later than the payment if the order waited for its owner, or for a decision;
     * a month starts then.
     */
    creditedAt: moment("credited_at"),
    /** In lower case; the user's or, until someone claims it, the order's. Kept by triggers, for searches in lists. */
    ownerEmail: text("owner_email"),
    ...lifecycle,
  },
  (table) => [
    uniqueIndex("sales_order_idempotency").on(sql`coalesce(${table.userId}, 0)`, table.idempotencyKey),
    index("sales_order_user").on(table.userId, table.id),
    index("sales_order_organisation")
      .on(table.organisationId, table.id)
      .where(sql`${table.organisationId} is not null`),
    index("sales_order_open").on(table.expiresAt).where(sql`${table.status} = 'pending'`),
    index("sales_order_email").on(sql`lower(${table.email})`).where(sql`${table.userId} is null`),
    index("sales_order_created").on(table.createdAt, table.id),
    index("sales_order_status").on(table.status, table.createdAt, table.id),
    index("sales_order_by_amount").on(table.amountUsd, table.id),
    index("sales_order_plan").on(table.planCode, table.createdAt, table.id),
    index("sales_order_channel").on(table.payChannel, table.createdAt, table.id),
    index("sales_order_late").on(table.createdAt, table.id).where(sql`${table.isPaidLate}`),
    index("sales_order_uncredited")
      .on(table.createdAt, table.id)
      .where(sql`${table.creditedAt} is null and ${table.settledAt} is not null`),
    index("sales_order_uncounted")
      .on(table.settledAt, table.id)
      .where(sql`${table.campaignCountedAt} is null and ${table.settledAt} is not null`),
    index("sales_order_owner_start").on(sql`${table.ownerEmail} text_pattern_ops`),
    index("sales_order_marked").on(table.createdAt, table.id).where(sql`${table.reviewReason} is not null`),
    check("sales_order_amount", sql`${table.amountUsd} >= 0 and ${table.quota} >= 0`),
  ],
);

/** Append-only: one payment for each settled order. */
export const payment = pgTable(
  "payment",
  {
    id: id(),
    orderId: reference("order_id")
      .notNull()
      .unique()
      .references(() => salesOrder.id),
    gateway: text("gateway", { enum: ["mock", "walletpay", "cardpay", "code"] }).notNull(),
    account: text("account").notNull(),
    transactionId: text("transaction_id").notNull(),
    amountUsd: usd("amount_usd").notNull(),
    currency: text("currency").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("payment_transaction").on(table.gateway, table.transactionId),
    index("payment_created").on(table.createdAt, table.id),
    index("payment_by_amount").on(table.amountUsd, table.id),
    index("payment_gateway").on(table.gateway, table.createdAt, table.id),
    index("payment_account").on(table.account, table.createdAt, table.id),
  ],
);

/** Append-only: a payment that did not match its order, as the gateway reported it, for the person who decides. */
export const reviewPayment = pgTable(
  "review_payment",
  {
    id: id(),
    orderId: reference("order_id")
      .notNull()
      .references(() => salesOrder.id),
    gateway: text("gateway", { enum: ["mock", "walletpay", "cardpay", "code"] }).notNull(),
    account: text("account").notNull(),
    transactionId: text("transaction_id").notNull(),
    amountUsd: usd("amount_usd").notNull(),
    currency: text("currency").notNull(),
    reason: text("reason").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [unique("review_payment_once").on(table.orderId, table.gateway, table.transactionId)],
);

/** Every gateway message with a valid signature, once; the same id with other bytes is an alarm. */
export const gatewayEvent = pgTable(
  "gateway_event",
  {
    id: id(),
    gateway: text("gateway", { enum: ["walletpay", "cardpay"] }).notNull(),
    account: text("account").notNull(),
    eventId: text("event_id").notNull(),
    kind: text("kind").notNull(),
    bodyHash: bytes("body_hash").notNull(),
    orderNo: text("order_no"),
    /** The outcome: settled, duplicate, mismatch, ignored... */
    result: text("result", { enum: noticeResults }).notNull(),
    receivedAt: moment("received_at").notNull().defaultNow(),
    /**
     * The facts of the message that processing needs; nothing about the payer. Null for messages from before this was
     * stored.
     */
    facts: json("facts"),
    tries: integer("tries").notNull().default(1),
    /** When the message was last processed, on delivery or again by an admin. */
    triedAt: moment("tried_at"),
    /** The error code of the last attempt. */
    lastError: text("last_error"),
  },
  (table) => [
    unique("gateway_event_id").on(table.gateway, table.account, table.eventId),
    index("gateway_event_by_received").on(table.receivedAt, table.id),
    index("gateway_event_result").on(table.result, table.receivedAt, table.id),
    index("gateway_event_by_order").on(table.orderNo),
    index("gateway_event_reversal")
      .on(sql`(${table.facts} ->> 'transaction_id')`)
      .where(sql`${table.facts} ->> 'kind' = 'reversal'`),
  ],
);

export const refund = pgTable(
  "refund",
  {
    id: id(),
    refundNo: text("refund_no").notNull().unique(),
    orderId: reference("order_id")
      .notNull()
      .references(() => salesOrder.id),
    amountUsd: usd("amount_usd").notNull(),
    /** The quota that the refund took back from the user. */
    quota: quota("quota").notNull(),
    status: text("status", { enum: ["pending", "done", "failed"] }).notNull(),
    reason: text("reason").notNull(),
    gatewayRefundId: text("gateway_refund_id"),
    /** Why the refund failed; for a pending one, the gateway's last inconclusive response. */
    error: text("error"),
    /** How often the gateway was asked, counted before each request. Above 0, only the gateway's own record decides. */
    asks: integer("asks").notNull().default(0),
    /** A process is asking the gateway until this time. */
    askingUntil: moment("asking_until"),
    ...lifecycle,
  },
  (table) => [
    index("refund_order").on(table.orderId),
    index("refund_created").on(table.createdAt, table.id),
    index("refund_status").on(table.status, table.createdAt, table.id),
    index("refund_done").on(table.updatedAt).where(sql`${table.status} = 'done'`),
    /** Of a code nobody paid anything: its refund takes back quota alone. */
    check("refund_amount", sql`${table.amountUsd} >= 0`),
  ],
);

/** The quota of a monthly plan. The unused part expires with the period. */
export const subscription = pgTable(
  "subscription",
  {
    id: id(),
    /** The account that the quota is of: a person's, or an organisation's. A trigger fills it in for the release before. */
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    /** Whose account it is; null for that of an organisation. */
    userId: reference("user_id").references(() => userProfile.id),
    planCode: text("plan_code").notNull(),
    status: text("status", { enum: ["active", "cancelled", "expired"] })
      .notNull()
      .default("active"),
    periodStart: moment("period_start").notNull(),
    periodEnd: moment("period_end").notNull(),
    /**
     * The number of months from the start of the subscription to its end. The end is counted from the start: 31
     * January, 28 February, 31 March.
     */
    months: integer("months").notNull().default(1),
    /** Everything that was granted for it. */
    quotaGranted: quota("quota_granted").notNull(),
    /**
     * The part that was left when the account's consumption was `countedTo`; below 0 when more was refunded than was left.
     */
    quotaLeft: quota("quota_left").notNull().default(sql`0`),
    countedTo: quota("counted_to").notNull().default(sql`0`),
    /** Counts the changes; part of the references of their postings. */
    period: integer("period").notNull().default(1),
    isCancelledAtEnd: boolean("is_cancelled_at_end").notNull().default(false),
    /** The group that its account has until the period ends, by the latest order with one. */
    groupName: text("group_name").references(() => userGroup.name),
    /** Of a month that renews: what is left of it, and its group, are kept until then at the latest, for the next payment. */
    keptUntil: moment("kept_until"),
    ...lifecycle,
  },
  (table) => [
    index("subscription_group").on(table.groupName).where(sql`${table.groupName} is not null`),
    uniqueIndex("subscription_active").on(table.gatewayUserId, table.planCode).where(sql`${table.status} = 'active'`),
    index("subscription_account").on(table.gatewayUserId, table.id),
    index("subscription_end").on(table.periodEnd).where(sql`${table.status} <> 'expired'`),
  ],
);

/** Append-only: the changes to a subscription after it began, each of them once. */
export const subscriptionChange = pgTable("subscription_change", {
  id: id(),
  /** The reason for the change: `order:<number>`, `refund:<number>`, `refund_failed:<number>`. */
  reference: text("reference").notNull().unique(),
  subscriptionId: reference("subscription_id")
    .notNull()
    .references(() => subscription.id),
  quota: quota("quota").notNull(),
  months: integer("months").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
});
