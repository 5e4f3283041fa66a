import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import { isLockTimeout } from "../../platform/db-errors.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type Applied, applyCoupon, couponHoldHours, reserveCoupon } from "../coupons/use-coupon.ts";
import { taxOrder } from "../invoices/issue-invoice.ts";
import type { Order, PayChannel } from "../model.ts";
import { orderTerms, payable } from "../plans/plan-amount.ts";
import { findActivePlan } from "../plans/plan-store.ts";
import type { GuestOrders } from "../port.ts";
import { hashClaimCode, makeClaimCode, makeOrderNo } from "./order-numbers.ts";
import { findOrder, findOrderByKey, insertOrder, type NewOrder, readNow } from "./order-store.ts";

/** For how many hours an order can be paid. */
const openHours = 24;

/** How often the terms of a plan are read again while someone changes it. */
const planTriesMax = 3;

/** The errors of an order with a coupon. */
export const couponErrors = [
  ...(["unauthenticated", "coupon_unknown", "coupon_ended", "coupon_used_up", "coupon_not_applicable"] as const),
] as const;

export type OrderRequest = {
  readonly planCode: string;
  /** Only for a plan whose buyers choose the amount. */
  readonly amountUsd?: Decimal | undefined;
  /** The code of a coupon, in capital letters; for a caller with a login. */
  readonly couponCode?: string | undefined;
  /** Null for a caller without a login. */
  readonly userId: UserId | null;
  /** The organisation whose account is to be credited; absent or null for the user's own. */
  readonly organisationId?: bigint | null | undefined;
  /** For an anonymous order: the user who has verified this address gets it once it is paid. */
  readonly email: string | null;
  readonly payChannel: PayChannel;
  /** Our account at the gateway, and the kind of payment there. */
  readonly sender: string | null;
  readonly vendor: string | null;
  /** Chosen by the caller: the same key with the same content returns the same order. */
  readonly idempotencyKey: string | null;
  /** The visitor id of the page where the order was placed. */
  readonly visitorId?: string | undefined;
  readonly at?: Date;
};

export type PlacedOrder = {
  readonly order: Order;
  /** Lets a logged-in user claim an anonymous order. This is the only time it is visible. */
  readonly claimCode: string | null;
  /** False when the idempotency key belongs to an earlier order, which is returned. */
  readonly isNew: boolean;
};

/**
 * Places an order on the current terms of the plan; it expires after 24 hours, and one with a coupon after two.
 * @throws AppError `not_found` for a plan that is not offered, `invalid_amount` for an amount that can't be chosen, `idempotency_mismatch` for an idempotency key used for
 * something else, `in_progress` while an order is being placed under it, and the errors of `applyCoupon`
 */
export async function createOrder(tx: Transaction, request: OrderRequest): Promise<PlacedOrder> {
  const { userId, idempotencyKey } = request;
  const earlier = idempotencyKey === null ? null : await findOrderByKey(tx, userId, idempotencyKey);
  if (earlier !== null) {
    return repeated(earlier, request);
  }
  const claimCode = userId === null ? makeClaimCode() : null;
  const at = request.at ?? (await readNow(tx));
  for (let tries = 0; tries < planTriesMax; tries += 1) {
    const quote = await quoteOrder(tx, request, { at, isReserving: true });
    const order = await insertOrder(tx, {
      ...request,
      ...quote,
      organisationId: request.organisationId ?? null,
      orderNo: makeOrderNo(),
      visitorId: request.visitorId ?? null,
      openHours: hoursOf(quote),
      claimCodeHash: claimCode === null ? null : hashClaimCode(claimCode),
      at,
    }).catch((error: unknown) => {
      // Another request is placing an order under this key and has not committed.
      throw isLockTimeout(error) && idempotencyKey !== null
        ? new AppError("in_progress", { cause: error, retryAfterSeconds: 2 })
        : error;
    });
    if (order !== null) {
      return { order: await withCoupon(tx, order, quote.applied), claimCode, isNew: true };
    }
    const other = idempotencyKey === null ? null : await findOrderByKey(tx, userId, idempotencyKey);
    if (other !== null) {
      return repeated(other, request);
    }
    // The plan was changed after it was read: its new terms apply to this order too.
  }
  throw new AppError("in_progress", { retryAfterSeconds: 2 });
}

const hoursOf = ({ applied }: Quote): number => (applied === null ? openHours : couponHoldHours);

/** Reserves the coupon for the order that it was applied to. */
async function withCoupon(tx: Transaction, order: Order, applied: Applied | null): Promise<Order> {
  if (applied === null || order.userId === null) {
    return order;
  }
  await reserveCoupon(tx, applied, { orderId: order.id, userId: order.userId });
  return (await findOrder(tx, order.orderNo)) ?? order;
}

export type Quote = Pick<NewOrder, "planVersion" | "terms" | "tax"> & {
  readonly taxName: string;
  /** Null without a coupon. */
  readonly applied: Applied | null;
};

/**
 * What an order would cost now, with its coupon and its tax.
 * @throws AppError `not_found` for a plan that is not offered, `invalid_amount` for an amount that can't be chosen, and the errors of
 * `applyCoupon`
 */
export async function quoteOrder(
  tx: Transaction,
  request: Pick<OrderRequest, "planCode" | "amountUsd" | "couponCode" | "userId" | "organisationId">,
  { at, isReserving }: { readonly at: Date; readonly isReserving: boolean },
): Promise<Quote> {
  const { userId, organisationId = null, couponCode } = request;
  const plan = await findActivePlan(tx, request.planCode);
  if (plan === null) {
    throw notFound("plan", "plan_code");
  }
  const listed = orderTerms(plan, request.amountUsd ?? null);
  if (couponCode !== undefined && userId === null) {
    throw new AppError("unauthenticated", { message: "Log in to use a coupon." });
  }
  const applied =
    couponCode === undefined || userId === null
      ? null
      : await applyCoupon(tx, { code: couponCode, userId, planCode: plan.planCode, terms: listed, at, isReserving });
  const terms = applied?.terms ?? listed;
  const taxed = await taxOrder(tx, terms.amountUsd, userId === null ? null : { userId, organisationId });
  return taxed === null
    ? { planVersion: plan.version, terms, tax: null, taxName: "", applied }
    : {
        planVersion: plan.version,
        terms: { ...terms, amountUsd: payable(taxed.amountUsd) },
        tax: taxed.tax,
        taxName: taxed.taxName,
        applied,
      };
}

/** The order that was placed under the key of this request. */
function repeated(order: Order, request: OrderRequest): PlacedOrder {
  if (!isSameRequest(order, request)) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another order." });
  }
  return { order, claimCode: null, isNew: false };
}

function isSameRequest(order: Order, request: OrderRequest): boolean {
  return (
    order.planCode === request.planCode &&
    order.organisationId === (request.organisationId ?? null) &&
    order.chosenUsd === (request.amountUsd ?? null) &&
    order.couponCode === (request.couponCode ?? null) &&
    order.payChannel === request.payChannel &&
    order.sender === request.sender &&
    order.vendor === request.vendor &&
    order.email === request.email
  );
}

/** The person who places an order, as far as known. */
export type OrderFrom = { readonly user: UserCaller | null; readonly clientIp: string };

/**
 * The idempotency key as it is stored. Users have a namespace each; anonymous callers share one per network, so that
 * nobody is given the order of a stranger who chose the same key.
 * @throws AppError `too_many_attempts` when too many anonymous orders came from there
 */
export async function admitOrder(
  guests: GuestOrders,
  { user, clientIp }: OrderFrom,
  key: string | null,
): Promise<string | null> {
  if (user !== null) {
    return key;
  }
  await guests.count(clientIp);
  return key === null ? null : `guest:${sha256Hex(JSON.stringify([guests.networkOf(clientIp), key]))}`;
}
