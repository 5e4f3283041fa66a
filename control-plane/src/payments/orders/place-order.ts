import type { UserId } from "@sluice/contracts/ids";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import { isLockTimeout } from "../../platform/db-errors.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Order, PayChannel } from "../model.ts";
import type { GuestOrders } from "../port.ts";
import { hashClaimCode, makeClaimCode, makeOrderNo } from "./order-numbers.ts";
import { findOrderByKey, insertOrder, readNow } from "./order-store.ts";

export type OrderRequest = {
  readonly planCode: string;
  /** Null for a caller without a login. */
  readonly userId: UserId | null;
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
 * Places an order on the current terms of the plan; it expires after 24 hours.
 * @throws AppError `not_found` for a plan that is not offered, `idempotency_mismatch` for an idempotency key used for
 * something else, `in_progress` while an order is being placed under it
 */
export async function createOrder(tx: Transaction, request: OrderRequest): Promise<PlacedOrder> {
  const { userId, idempotencyKey } = request;
  const claimCode = userId === null ? makeClaimCode() : null;
  const order = await insertOrder(tx, {
    ...request,
    orderNo: makeOrderNo(),
    visitorId: request.visitorId ?? null,
    claimCodeHash: claimCode === null ? null : hashClaimCode(claimCode),
    at: request.at ?? (await readNow(tx)),
  }).catch((error: unknown) => {
    // Another request is placing an order under this key and has not committed.
    throw isLockTimeout(error) && idempotencyKey !== null
      ? new AppError("in_progress", { cause: error, retryAfterSeconds: 2 })
      : error;
  });
  if (order !== null) {
    return { order, claimCode, isNew: true };
  }
  const earlier = idempotencyKey === null ? null : await findOrderByKey(tx, userId, idempotencyKey);
  if (earlier === null) {
    throw notFound("plan", "plan_code");
  }
  if (!isSameRequest(earlier, request)) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another order." });
  }
  return { order: earlier, claimCode: null, isNew: false };
}

function isSameRequest(order: Order, request: OrderRequest): boolean {
  return (
    order.planCode === request.planCode &&
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
