import type { UserId } from "@sluice/contracts/ids";
import type { Queryable, Transaction } from "../../platform/db.ts";
import { isLockTimeout } from "../../platform/db-errors.ts";
import { AppError } from "../../platform/errors.ts";
import type { OrderTerms } from "../plans/plan-amount.ts";
import {
  type Coupon,
  countHeldBy,
  countUse,
  countUsesOf,
  findCouponByCode,
  findUse,
  hasPurchase,
  insertUse,
  lockCoupon,
  markConsumed,
} from "./coupon-store.ts";
import { type Discount, discounted, notApplicable, refuseOutside } from "./coupon-terms.ts";

/** How many unpaid orders of a user can hold the same coupon: others want to use it, too. */
const heldMax = 3;
/** For how many hours an unpaid order holds its coupon. */
export const couponHoldHours = 2;

/** A coupon that a buyer wants to use. */
export type CouponWish = {
  readonly code: string;
  readonly userId: UserId;
  readonly planCode: string;
  /** Those of the order without it. */
  readonly terms: OrderTerms;
  readonly at: Date;
  /** Whether the coupon is to be reserved in this transaction, which locks it. */
  readonly isReserving: boolean;
};

export type Applied = { readonly coupon: Coupon; readonly terms: OrderTerms; readonly discount: Discount };

/**
 * The terms of an order with a coupon that this buyer can use now.
 * @throws AppError `coupon_unknown`, `coupon_ended`, `coupon_used_up`, `coupon_not_applicable`; `in_progress` while others
 * use it
 */
export async function applyCoupon(tx: Queryable, wish: CouponWish): Promise<Applied> {
  const coupon = await (wish.isReserving ? lockInTurn(tx, wish.code) : findCouponByCode(tx, wish.code));
  if (coupon === null) {
    throw new AppError("coupon_unknown");
  }
  refuseOutside(coupon, { planCode: wish.planCode, priceUsd: wish.terms.amountUsd, at: wish.at });
  if (coupon.isFirstPurchase && (await hasPurchase(tx, wish.userId))) {
    throw notApplicable("This coupon is for a first purchase.");
  }
  if (!(await hasRoom(tx, coupon, wish.userId))) {
    throw new AppError("coupon_used_up");
  }
  if ((await countHeldBy(tx, coupon.id, wish.userId)) >= heldMax) {
    throw notApplicable("Pay or cancel your open orders with this coupon first.");
  }
  return { coupon, ...discounted(coupon, wish.terms) };
}

async function lockInTurn(tx: Queryable, code: string): Promise<Coupon | null> {
  return await lockCoupon(tx, { code }).catch((error: unknown) => {
    throw isLockTimeout(error) ? new AppError("in_progress", { cause: error, retryAfterSeconds: 2 }) : error;
  });
}

async function hasRoom(tx: Queryable, coupon: Coupon, userId: UserId): Promise<boolean> {
  if (coupon.usesMax !== null && coupon.uses >= coupon.usesMax) {
    return false;
  }
  return coupon.usesPerUser === null || (await countUsesOf(tx, coupon.id, userId)) < coupon.usesPerUser;
}

/**
 * Reserves the use of a coupon, which `applyCoupon` has locked, for an order placed in the same transaction.
 * @throws AppError `coupon_used_up`
 */
export async function reserveCoupon(
  tx: Transaction,
  { coupon, discount }: Applied,
  of: { readonly orderId: bigint; readonly userId: UserId },
): Promise<void> {
  if (!(await insertUse(tx, { ...discount, coupon, ...of }))) {
    throw new AppError("coupon_used_up");
  }
  await countUse(tx, coupon.id);
}

/**
 * Consumes the coupon of an order that is being paid; the caller holds the lock of the order. One that was released
 * when the order ended unpaid is taken again if it still has a use for this buyer, or if a person decided so.
 * @returns false when nothing is left of it: then the order is not paid by this
 */
export async function consumeCoupon(tx: Transaction, orderId: bigint, isDecided: boolean): Promise<boolean> {
  const use = await findUse(tx, orderId);
  if (use === null || use.state === "consumed") {
    return true;
  }
  if (use.state === "reserved") {
    await markConsumed(tx, use.id, false);
    return true;
  }
  const coupon = await lockCoupon(tx, { id: use.couponId });
  const isFree =
    coupon !== null &&
    (await hasRoom(tx, coupon, use.userId)) &&
    !(coupon.isFirstPurchase && (await hasPurchase(tx, use.userId)));
  if (!isFree && !isDecided) {
    return false;
  }
  await markConsumed(tx, use.id, !isFree);
  if (isFree) {
    await countUse(tx, use.couponId);
  }
  return true;
}
