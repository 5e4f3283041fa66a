import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { isLockTimeout } from "../../platform/db-errors.ts";
import { AppError } from "../../platform/errors.ts";
import type { Order } from "../model.ts";
import { makeOrderNo } from "../orders/order-numbers.ts";
import { findOrder, readNow } from "../orders/order-store.ts";
import type { BillingDeps, FaultInjector } from "../port.ts";
import { settleInTransaction, untilCommitKnown } from "../settle/settle-paid.ts";
import {
  type CodeBatch,
  type FoundCode,
  findRedemption,
  insertCodeOrder,
  insertRedemption,
  lockCode,
} from "./code-store.ts";
import { digestOfCode, readCode } from "./code-text.ts";

/** The plan code of orders for balance that a code granted. */
const balancePlanCode = "code";

export type Redeemed = {
  readonly order: Order;
  /** False when the same user has redeemed the code before: nothing was granted again. */
  readonly isNew: boolean;
};

export type CodeAttempt = {
  readonly text: string;
  readonly userId: UserId;
  /** The organisation whose account is credited; absent or null for the user's own. */
  readonly organisationId?: bigint | null;
  /** The time of the redemption; by default the time of the database. */
  readonly at?: Date;
};

/**
 * Redeems a code: one transaction places a free order on the terms of its batch, records the use of the code and
 * settles the order like any other. A repetition by the same user changes nothing, even if the response to a COMMIT was
 * lost.
 * @throws AppError `not_found` for a code that does not exist, `conflict` for one that can't be used,
 * `in_progress` while others redeem it
 */
export async function redeemCode(deps: BillingDeps, attempt: CodeAttempt, fault?: FaultInjector): Promise<Redeemed> {
  const letters = readCode(attempt.text);
  if (letters === null) {
    throw new AppError("not_found", { message: "This code has a typing error, or does not exist." });
  }
  const digest = digestOfCode(letters);
  const work = (tx: Transaction): Promise<Redeemed> =>
    redeemOnce(tx, deps, { ...attempt, digest, ...(fault && { fault }) });
  const { result, attempts } = await untilCommitKnown(deps, work);
  const { order } = result;
  deps.log.info("billing.code", { orderNo: order.orderNo, isNew: result.isNew });
  return attempts > 1 ? { order, isNew: true } : result;
}

type Redeeming = CodeAttempt & { readonly digest: Uint8Array; readonly fault?: FaultInjector };

async function redeemOnce(tx: Transaction, deps: BillingDeps, redeeming: Redeeming): Promise<Redeemed> {
  const { userId, digest } = redeeming;
  const found = await lockCode(tx, digest).catch((error: unknown) => {
    // Others are redeeming the same code, and have not finished.
    throw isLockTimeout(error) ? new AppError("in_progress", { cause: error, retryAfterSeconds: 2 }) : error;
  });
  if (found === null) {
    throw new AppError("not_found", { message: "This code has a typing error, or does not exist." });
  }
  const used = await findRedemption(tx, found.codeId);
  if (used !== null) {
    if (used.userId !== userId) {
      throw new AppError("conflict", { message: "This code was already used." });
    }
    return { order: await orderOf(tx, used.orderNo), isNew: false };
  }
  const at = redeeming.at ?? (await readNow(tx));
  refuseEnded(found.batch, at);
  return { order: await settleCode(tx, deps, { ...redeeming, found, at }), isNew: true };
}

function refuseEnded({ revokedAt, expiresAt }: CodeBatch, at: Date): void {
  if (revokedAt !== null) {
    throw new AppError("conflict", { message: "This code is no longer valid." });
  }
  if (expiresAt !== null && expiresAt <= at) {
    throw new AppError("conflict", { message: "This code has expired." });
  }
}

async function settleCode(
  tx: Transaction,
  deps: BillingDeps,
  { found, userId, organisationId = null, at, fault }: Redeeming & { readonly found: FoundCode; readonly at: Date },
): Promise<Order> {
  const { batch, codeId } = found;
  const orderNo = makeOrderNo();
  const planCode = batch.planCode ?? balancePlanCode;
  const orderId = await insertCodeOrder(tx, batch, { orderNo, planCode, userId, organisationId, at });
  if (!(await insertRedemption(tx, { ...found, userId, orderId }))) {
    throw new AppError("conflict", { message: "You have already used a code like this one." });
  }
  const notice = {
    gateway: "code",
    account: `batch ${batch.id}`,
    transactionId: codeId.toString(),
    orderNo,
    amountUsd: "0.00" as Decimal,
    currency: "USD",
  } as const;
  const result = await settleInTransaction(tx, deps, { notice, at, ...(fault && { fault }) });
  if (result !== "settled") {
    throw new Error(`the order of a code was not settled but ${result}`);
  }
  return await orderOf(tx, orderNo);
}

async function orderOf(tx: Transaction, orderNo: string): Promise<Order> {
  const order = await findOrder(tx, orderNo);
  if (order === null) {
    throw new Error(`order ${orderNo} is missing`);
  }
  return order;
}
