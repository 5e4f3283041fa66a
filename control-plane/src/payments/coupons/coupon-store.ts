import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { and, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { countOfRows, now } from "../../db/expressions.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { coupon, couponUse as use } from "../../db/schema/coupons.ts";
import type { Queryable } from "../../platform/db.ts";
import type { CouponBounds, CouponValue, Discount } from "./coupon-terms.ts";

export type NewCoupon = CouponValue &
  Omit<CouponBounds, "revokedAt"> & {
    readonly code: string;
    readonly note: string;
    readonly usesMax: number | null;
    readonly usesPerUser: number | null;
    readonly isFirstPurchase: boolean;
    readonly createdBy: string;
    readonly idempotencyKey: string;
  };

export type Coupon = NewCoupon &
  CouponBounds & {
    readonly id: bigint;
    /** Reserved and consumed ones. */
    readonly uses: number;
    readonly createdAt: Date;
  };

const columns = {
  id: coupon.id,
  code: coupon.code,
  kind: coupon.kind,
  percent: coupon.percent,
  amountUsd: coupon.amountUsd,
  note: coupon.note,
  startsAt: coupon.startsAt,
  expiresAt: coupon.expiresAt,
  usesMax: coupon.usesMax,
  usesPerUser: coupon.usesPerUser,
  isFirstPurchase: coupon.isFirstPurchase,
  planCodes: coupon.planCodes,
  minimumUsd: coupon.minimumUsd,
  uses: coupon.uses,
  revokedAt: coupon.revokedAt,
  createdBy: coupon.createdBy,
  idempotencyKey: coupon.idempotencyKey,
  createdAt: coupon.createdAt,
};

/** Null when its code or its idempotency key is taken. */
export async function insertCoupon(tx: Queryable, made: NewCoupon): Promise<Coupon | null> {
  const [row] = await tx.drizzle
    .insert(coupon)
    .values({ ...made, planCodes: [...made.planCodes] })
    .onConflictDoNothing()
    .returning(columns);
  return row ?? null;
}

export async function findCoupon(db: Queryable, id: bigint): Promise<Coupon | null> {
  const [row] = await db.drizzle.select(columns).from(coupon).where(eq(coupon.id, id));
  return row ?? null;
}

export async function findCouponByKey(db: Queryable, idempotencyKey: string): Promise<Coupon | null> {
  const [row] = await db.drizzle.select(columns).from(coupon).where(eq(coupon.idempotencyKey, idempotencyKey));
  return row ?? null;
}

export async function findCouponByCode(db: Queryable, code: string): Promise<Coupon | null> {
  const [row] = await db.drizzle.select(columns).from(coupon).where(eq(coupon.code, code));
  return row ?? null;
}

/** The coupon, locked until the end of the transaction: uses of it take turns. */
export async function lockCoupon(tx: Queryable, by: { id: bigint } | { code: string }): Promise<Coupon | null> {
  const is = "id" in by ? eq(coupon.id, by.id) : eq(coupon.code, by.code);
  const [row] = await tx.drizzle.select(columns).from(coupon).where(is).for("update");
  return row ?? null;
}

/** Revokes a coupon that is not revoked yet; waits for orders that are being placed with it. */
export async function revokeCoupon(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle
    .update(coupon)
    .set({ revokedAt: now, updatedAt: now })
    .where(and(eq(coupon.id, id), isNull(coupon.revokedAt)));
}

const isLive = ne(use.state, "released");

/** The uses of a coupon by a user that are reserved or consumed. */
export async function countUsesOf(db: Queryable, couponId: bigint, userId: UserId): Promise<number> {
  const [row] = await db.drizzle
    .select({ count: countOfRows })
    .from(use)
    .where(and(eq(use.couponId, couponId), eq(use.userId, userId), isLive));
  return row?.count ?? 0;
}

/** The uses of a coupon that unpaid orders of a user hold. */
export async function countHeldBy(db: Queryable, couponId: bigint, userId: UserId): Promise<number> {
  const [row] = await db.drizzle
    .select({ count: countOfRows })
    .from(use)
    .where(and(eq(use.couponId, couponId), eq(use.userId, userId), eq(use.state, "reserved")));
  return row?.count ?? 0;
}

/** Whether a user has bought anything, or is about to with a coupon for a first purchase. */
export async function hasPurchase(db: Queryable, userId: UserId): Promise<boolean> {
  const [bought] = await db.drizzle
    .select({ id: order.id })
    .from(order)
    .where(and(eq(order.userId, userId), isNotNull(order.settledAt), ne(order.payChannel, "code")))
    .limit(1);
  const [reserved] = await db.drizzle
    .select({ id: use.id })
    .from(use)
    .where(and(eq(use.userId, userId), use.isFirstPurchase, isLive, sql`not ${use.isExtra}`))
    .limit(1);
  return bought !== undefined || reserved !== undefined;
}

/** Counts a use of a coupon that the caller has locked. */
export async function countUse(tx: Queryable, couponId: bigint): Promise<void> {
  await tx.drizzle
    .update(coupon)
    .set({ uses: sql`${coupon.uses} + 1`, updatedAt: now })
    .where(eq(coupon.id, couponId));
}

export type NewUse = Discount & {
  readonly coupon: Coupon;
  readonly orderId: bigint;
  readonly userId: UserId;
};

/** Reserves a use. False when the user has reserved another first purchase in the meantime. */
export async function insertUse(tx: Queryable, made: NewUse): Promise<boolean> {
  const { coupon: of, orderId, userId, priceUsd, discountUsd, bonusQuota } = made;
  const rows = await tx.drizzle
    .insert(use)
    .values({
      ...{ couponId: of.id, orderId, userId, isFirstPurchase: of.isFirstPurchase },
      ...{ priceUsd, discountUsd, bonusQuota },
    })
    .onConflictDoNothing()
    .returning({ id: use.id });
  return rows.length > 0;
}

export type CouponUse = {
  readonly id: bigint;
  readonly couponId: bigint;
  readonly code: string;
  readonly userId: UserId;
  readonly state: "reserved" | "consumed" | "released";
  readonly priceUsd: Decimal;
  readonly discountUsd: Decimal;
};

/** The use of a coupon by an order; the caller holds the lock of the order. */
export async function findUse(db: Queryable, orderId: bigint): Promise<CouponUse | null> {
  const { id, couponId, userId, state, priceUsd, discountUsd } = use;
  const [row] = await db.drizzle
    .select({ id, couponId, code: coupon.code, userId, state, priceUsd, discountUsd })
    .from(use)
    .innerJoin(coupon, eq(coupon.id, use.couponId))
    .where(eq(use.orderId, orderId));
  return (row ?? null) as CouponUse | null;
}

export async function markConsumed(tx: Queryable, useId: bigint, isExtra: boolean): Promise<void> {
  await tx.drizzle.update(use).set({ state: "consumed", isExtra, updatedAt: now }).where(eq(use.id, useId));
}

/** Releases the uses of orders that nobody pays, or whose payment goes back uncredited; the caller holds their locks. */
export async function releaseUses(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  const released = await tx.drizzle
    .update(use)
    .set({ state: "released", updatedAt: now })
    .where(and(inArray(use.orderId, [...orderIds]), isLive))
    .returning({ couponId: use.couponId, isExtra: use.isExtra });
  const counts = new Map<bigint, number>();
  for (const { couponId } of released.filter(({ isExtra }) => !isExtra)) {
    counts.set(couponId, (counts.get(couponId) ?? 0) + 1);
  }
  // In one order, so that two that release several never wait for each other.
  for (const [couponId, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await tx.drizzle
      .update(coupon)
      .set({ uses: sql`${coupon.uses} - ${count}`, updatedAt: now })
      .where(eq(coupon.id, couponId));
  }
}
