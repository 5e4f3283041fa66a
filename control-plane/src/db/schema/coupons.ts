import { couponKinds } from "@sluice/contracts/coupons";
import type { Decimal } from "@sluice/contracts/money";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, numeric, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, lifecycle, moment, quota, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { salesOrder } from "./billing.ts";

const usd = (name: string) => numeric(name, { precision: 14, scale: 2 }).$type<Decimal>();

/** A code that lowers the price of orders, or adds to what they grant. Its terms never change. */
export const coupon = pgTable(
  "coupon",
  {
    id: id(),
    /** In capital letters. Customers know it, so it is not a secret. */
    code: text("code").notNull().unique(),
    kind: text("kind", { enum: couponKinds }).notNull(),
    /** Off the price, or of the quota for a bonus. */
    percent: numeric("percent", { precision: 5, scale: 2 }).$type<Decimal>(),
    amountUsd: usd("amount_usd"),
    note: text("note").notNull().default(""),
    startsAt: moment("starts_at"),
    expiresAt: moment("expires_at"),
    usesMax: integer("uses_max"),
    usesPerUser: integer("uses_per_user"),
    isFirstPurchase: boolean("is_first_purchase").notNull(),
    /** The plans that it is for; empty for all. */
    planCodes: text("plan_codes").array().notNull(),
    /** The lowest price, before the discount, that it is for. */
    minimumUsd: usd("minimum_usd"),
    /** Reserved and consumed uses, without those that a person allowed beyond the limits. */
    uses: integer("uses").notNull().default(0),
    revokedAt: moment("revoked_at"),
    createdBy: text("created_by").notNull(),
    /** Chosen by the program that asked for it: the same request makes one coupon. */
    idempotencyKey: text("idempotency_key").notNull().unique(),
    ...lifecycle,
  },
  (table) => [
    index("coupon_created").on(table.createdAt, table.id),
    index("coupon_by_uses").on(table.uses, table.id),
    check(
      "coupon_value",
      sql`case ${table.kind} when 'amount' then ${table.percent} is null and ${table.amountUsd} > 0
        when 'percent' then ${table.amountUsd} is null and ${table.percent} > 0 and ${table.percent} < 100
        else ${table.amountUsd} is null and ${table.percent} > 0 and ${table.percent} <= 100 end`,
    ),
    check("coupon_uses", sql`${table.uses} >= 0 and (${table.usesMax} is null or ${table.uses} <= ${table.usesMax})`),
  ],
);

/** The use of a coupon by an order: reserved while that waits, consumed when it is paid, released when it ends unpaid. */
export const couponUse = pgTable(
  "coupon_use",
  {
    id: id(),
    couponId: reference("coupon_id")
      .notNull()
      .references(() => coupon.id),
    orderId: reference("order_id")
      .notNull()
      .unique()
      .references(() => salesOrder.id),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    state: text("state", { enum: ["reserved", "consumed", "released"] })
      .notNull()
      .default("reserved"),
    isFirstPurchase: boolean("is_first_purchase").notNull(),
    /** Beyond the limits of its coupon: a person settled the order. */
    isExtra: boolean("is_extra").notNull().default(false),
    /** The price before the discount and before tax, and what the coupon changed. */
    priceUsd: usd("price_usd").notNull(),
    discountUsd: usd("discount_usd").notNull(),
    bonusQuota: quota("bonus_quota").notNull(),
    ...lifecycle,
  },
  (table) => [
    index("coupon_use_coupon").on(table.couponId, table.userId),
    /** A user has one first purchase, whatever the coupon. */
    uniqueIndex("coupon_use_first")
      .on(table.userId)
      .where(sql`${table.isFirstPurchase} and ${table.state} <> 'released' and not ${table.isExtra}`),
    index("coupon_use_user").on(table.userId),
    check(
      "coupon_use_value",
      sql`${table.discountUsd} >= 0 and ${table.discountUsd} < ${table.priceUsd} and ${table.bonusQuota} >= 0
        and (${table.discountUsd} > 0) <> (${table.bonusQuota} > 0)`,
    ),
  ],
);
