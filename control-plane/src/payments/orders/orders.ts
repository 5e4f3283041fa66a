import type { UserId } from "@sluice/contracts/ids";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { inRounds } from "../../platform/in-rounds.ts";
import { type KeysetPage, readKeysetPage } from "../../platform/keyset-page.ts";
import { releaseUses } from "../coupons/coupon-store.ts";
import type { Order } from "../model.ts";
import { isMoneyBack } from "../refunds/money-back.ts";
import { creditOrder } from "../settle/credit-order.ts";
import { hashClaimCode } from "./order-numbers.ts";
import {
  expireOrders,
  findOrder,
  findOwner,
  isClaimCode,
  lockOrder,
  markCancelled,
  readNow,
  selectOrders,
  setOwner,
} from "./order-store.ts";

const expiryRounds = { atOnceMax: 500, roundsMax: 20 };

/**
 * The order, for its owner. One without an owner is shown to anyone who knows its number, which nobody can guess.
 * @throws AppError `not_found` for another user's order just as for none
 */
export async function readOrder(
  db: Queryable,
  orderNo: string,
  userId: UserId | null,
  organisationId: bigint | null = null,
): Promise<Order> {
  const order = await findOrder(db, orderNo);
  if (order === null || (order.userId !== null && !isOf(order, { userId, organisationId }))) {
    throw notFound("order");
  }
  return order;
}

/** The requester of an action on an order: its owner, or for one without an owner anyone who has its code. */
export type OrderCaller = {
  readonly userId: UserId | null;
  /** The organisation that the user acts for; absent or null for the user's own account. */
  readonly organisationId?: bigint | null;
  readonly claimCode: string | null;
};

/** Whether an order with an owner is the caller's: placed for the organisation, or by the user for the user's own account. */
const isOf = (order: Order, { userId, organisationId = null }: Omit<OrderCaller, "claimCode">): boolean =>
  order.organisationId === organisationId && (organisationId !== null || order.userId === userId);

/**
 * An order for a requester who may act on it.
 * @throws AppError `not_found` unless it is the user's own, or has no owner and the claim code is right
 */
export async function findOwnOrder(db: Queryable, orderNo: string, by: OrderCaller): Promise<Order> {
  return await refuseForeign(db, await findOrder(db, orderNo), by);
}

async function refuseForeign(db: Queryable, order: Order | null, by: OrderCaller): Promise<Order> {
  const { claimCode } = by;
  const isOwn =
    order?.userId === null
      ? claimCode !== null && (await isClaimCode(db, order.id, hashClaimCode(claimCode)))
      : order !== null && isOf(order, by);
  if (order === null || !isOwn) {
    throw notFound("order");
  }
  return order;
}

/** A page of a user's orders, newest first. */
export async function listOrders(
  db: Queryable,
  userId: UserId,
  page: { readonly organisationId?: bigint | null; readonly cursor: bigint | null; readonly limit: number },
): Promise<KeysetPage<Order, bigint>> {
  const select = (limit: number) =>
    selectOrders(db, { userId, organisationId: page.organisationId ?? null }, { below: page.cursor, limit });
  return await readKeysetPage(page.limit, select, (order) => order.id);
}

/**
 * Cancels an order that is waiting for its payment; repeating that changes nothing. If it is paid anyway, it is
 * credited.
 * @throws AppError `conflict` for any other state, and the errors of `findOwnOrder`
 */
export async function cancelOrder(tx: Transaction, orderNo: string, by: OrderCaller): Promise<Order> {
  const order = await refuseForeign(tx, await lockOrder(tx, orderNo), by);
  if (order.status === "pending") {
    await markCancelled(tx, order.id);
    await releaseUses(tx, [order.id]);
  } else if (order.status !== "cancelled") {
    throw new AppError("conflict", { message: "This order can no longer be cancelled." });
  }
  return { ...order, status: "cancelled" };
}

/**
 * Gives an anonymous order to a user, and credits it if it is paid. A repeated claim by the same user changes nothing.
 * @throws AppError `not_found` for a wrong code, and for an order that belongs to another user
 */
export async function claimOrder(
  tx: Transaction,
  claim: { readonly orderNo: string; readonly claimCode: string; readonly userId: UserId; readonly at?: Date },
): Promise<Order> {
  const { orderNo, userId } = claim;
  const order = await lockOrder(tx, orderNo);
  const isRight = order !== null && (await isClaimCode(tx, order.id, hashClaimCode(claim.claimCode)));
  const owner = await findOwner(tx, userId);
  if (!isRight || owner === null || (order.userId !== null && order.userId !== userId)) {
    throw new AppError("not_found", { message: "This order does not exist, or the code is incorrect." });
  }
  if (order.userId === userId) {
    return order;
  }
  if (await isMoneyBack(tx, order)) {
    throw new AppError("conflict", { message: "This order was refunded, or its refund is on the way." });
  }
  await setOwner(tx, order.id, userId);
  if (order.status === "settled") {
    await creditOrder(tx, { order, owner, at: claim.at ?? (await readNow(tx)) });
  }
  return { ...order, userId, gatewayUserId: owner.gatewayUserId };
}

/** Expires the orders that nobody paid in time; returns how many. */
export async function expireOverdueOrders(db: Database, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(db));
  return await inRounds(expiryRounds, (atOnceMax) =>
    db.withTransaction(async (tx) => {
      const expired = await expireOrders(tx, moment, atOnceMax);
      await releaseUses(tx, expired);
      return expired.length;
    }),
  );
}
