import type { Decimal } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { beginOpening, endOpening, findCheckout } from "../checkout/checkout-store.ts";
import type { ChargeAnswer, SavedMethod } from "../gateways/port.ts";
import { isSameAmount, type Order, toCents } from "../model.ts";
import { findOrder, findOwner, lockOrder, markCancelled, readNow } from "../orders/order-store.ts";
import { createOrder } from "../orders/place-order.ts";
import { settlePaid } from "../settle/settle-paid.ts";
import { orLater } from "./change-top-up.ts";
import { monthOf, type TopUpDeps } from "./model.ts";
import {
  type Attempt,
  beginAsking,
  endAttempt,
  findTopUp,
  hasMoneyBack,
  insertAttempt,
  keepPayment,
  lockTopUp,
  markUnclear,
  removeLeft,
  saveFailures,
  saveStatus,
  selectLow,
  selectOpen,
  sumCharged,
  type TopUp,
  type TopUpStop,
} from "./top-up-store.ts";

const perRunMax = 200;
const failuresMax = 2;
/** The gateway remembers its answer to a charge for a day. Asked later than this, it might charge again. */
const sameAnswerMs = 20 * 3_600_000;

/**
 * Begins a charge for each wallet whose balance is low, and asks the gateway about all that are open. Repeating it
 * charges nothing twice: a wallet has one open charge, and each has a key at the gateway. Returns how many there were.
 */
export async function chargeTopUps(deps: TopUpDeps, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(deps.db));
  for (const topUpNo of await removeLeft(deps.db)) {
    deps.log.warn("billing.top_up_left", { topUpNo });
  }
  const low = deps.rules.isOffered() ? await selectLow(deps.db, perRunMax) : [];
  for (const id of low) {
    await orLater(deps, () => begin(deps, id, moment));
  }
  const open = await selectOpen(deps.db, perRunMax);
  for (const attempt of open) {
    await orLater(deps, () => ask(deps, attempt, moment));
  }
  return open.length;
}

/** Why a wallet is no longer charged. */
class Stop extends Error {
  readonly because: TopUpStop;

  constructor(because: TopUpStop) {
    super(because);
    this.because = because;
  }
}

/** Places the order of a charge, within the limit of the month, in one transaction with the row that makes it the only one. */
async function begin(deps: TopUpDeps, id: bigint, at: Date): Promise<void> {
  try {
    await deps.db.withTransaction(async (tx) => {
      const topUp = await lockTopUp(tx, id);
      const charged = toCents(await sumCharged(tx, id, monthOf(at)));
      if (topUp.status !== "on" || charged + toCents(topUp.priceUsd) > toCents(topUp.monthMaxUsd)) {
        return;
      }
      if (await hasMoneyBack(tx, id)) {
        throw new Stop("returned");
      }
      const order = await placeOrder(tx, topUp, at);
      if ((await insertAttempt(tx, { topUpId: id, orderId: order.id, createdAt: at })) === null) {
        // Another process was faster: its order is the one.
        throw new AppError("in_progress");
      }
    });
  } catch (error) {
    const because = stopOf(error);
    if (because === null) {
      throw error;
    }
    await deps.db.withTransaction(async (tx) => {
      const topUp = await lockTopUp(tx, id);
      if (topUp.status === "on") {
        await saveStatus(tx, id, { status: "stopped", stopReason: because });
        await mailStopped(tx, deps, topUp, because);
      }
    });
  }
}

function stopOf(error: unknown): TopUpStop | null {
  if (error instanceof Stop) {
    return error.because;
  }
  const isGone = error instanceof AppError && (error.code === "not_found" || error.code === "invalid_amount");
  return isGone ? "terms" : null;
}

/** @throws Stop when the order would cost something else than the customer agreed to */
async function placeOrder(tx: Transaction, topUp: TopUp, at: Date): Promise<Order> {
  const { planCode, chosenUsd, userId, organisationId, account, priceUsd } = topUp;
  const { order } = await createOrder(tx, {
    ...{ planCode, userId, organisationId, at, sender: account },
    ...(chosenUsd === null ? {} : { amountUsd: chosenUsd }),
    ...{ email: null, payChannel: "cardpay", vendor: "cardpay_card", idempotencyKey: null },
  });
  if (!isSameAmount(order.amountUsd, priceUsd)) {
    throw new Stop("terms");
  }
  return order;
}

/** Asks the gateway to charge, or what became of it, and does what follows. */
async function ask(deps: TopUpDeps, attempt: Attempt, at: Date): Promise<void> {
  const topUp = await findTopUp(deps.db, attempt.topUpId);
  const order = await findOrder(deps.db, attempt.orderNo);
  const isFirst = await deps.db.withTransaction((tx) => beginAsking(tx, attempt.id));
  if (topUp === null || order === null || isFirst === null) {
    return;
  }
  if (order.status === "settled" || order.status === "refunded") {
    // The gateway's message came first.
    await succeed(deps, attempt, null);
    return;
  }
  if (isFirst && (topUp.status !== "on" || order.status !== "pending")) {
    await giveUp(deps, attempt, "not_wanted");
    return;
  }
  const { gatewayCustomerId: customerId, gatewayMethodId: methodId } = topUp;
  if (customerId === null || methodId === null) {
    throw new Error(`top-up ${topUp.topUpNo} has no method`);
  }
  const answer = await answerOf(deps, { attempt, topUp, order, method: { customerId, methodId }, at });
  if (answer === null) {
    await leaveUnclear(deps, { attempt, topUp, at });
  } else if (answer.kind === "pending") {
    await keepPayment(deps.db, attempt.id, answer.paymentId);
  } else if (answer.kind === "failed" && topUp.status === "removed") {
    await giveUp(deps, attempt, answer.code);
  } else if (answer.kind === "failed") {
    await fail(deps, { attempt, order, code: answer.code });
  } else {
    // The one path of all payments: the gateway's own message then finds it done.
    await settlePaid(deps, { gateway: "cardpay", account: topUp.account, ...answer.paid });
    await succeed(deps, attempt, answer.paid.transactionId);
  }
}

/** Raises one alarm: until a person has looked at the gateway, nothing changes. */
async function leaveUnclear(
  { db, log }: TopUpDeps,
  { attempt, topUp, at }: { readonly attempt: Attempt; readonly topUp: TopUp; readonly at: Date },
): Promise<void> {
  if (await markUnclear(db, attempt.id, at)) {
    log.error("billing.alarm", { reason: "top_up_unknown", orderNo: attempt.orderNo, topUpNo: topUp.topUpNo });
  }
}

type Asking = {
  readonly attempt: Attempt;
  readonly topUp: TopUp;
  readonly order: Order;
  readonly method: SavedMethod;
  readonly at: Date;
};

/** Null when it is too late to ask without charging again: a person has to look. */
async function answerOf({ card }: TopUpDeps, asking: Asking): Promise<ChargeAnswer | null> {
  const { attempt, topUp, order, method, at } = asking;
  if (attempt.gatewayPaymentId !== null) {
    return await card.savedMethods.readCharge(topUp.account, attempt.gatewayPaymentId);
  }
  if (at.getTime() - attempt.createdAt.getTime() > sameAnswerMs) {
    return null;
  }
  const { orderNo, planCode, amountUsd } = order;
  const key = `top-up:${orderNo}`;
  return await card.savedMethods.charge({ account: topUp.account, ...method, key, orderNo, planCode, amountUsd });
}

async function succeed({ db }: TopUpDeps, attempt: Attempt, paymentId: string | null): Promise<void> {
  await db.withTransaction(async (tx) => {
    await lockTopUp(tx, attempt.topUpId);
    const known = paymentId === null ? {} : { gatewayPaymentId: paymentId };
    if (await endAttempt(tx, attempt.id, { state: "paid", ...known })) {
      await saveFailures(tx, attempt.topUpId, 0);
    }
  });
}

/** Ends a charge that nobody wants any more, and that took no money, with its order. */
async function giveUp({ db }: TopUpDeps, attempt: Attempt, error: string): Promise<void> {
  await db.withTransaction(async (tx) => {
    await lockTopUp(tx, attempt.topUpId);
    const order = await lockOrder(tx, attempt.orderNo);
    const isEnded = await endAttempt(tx, attempt.id, { state: "failed", error: error.slice(0, 100) });
    if (isEnded && order?.status === "pending") {
      await markCancelled(tx, order.id);
    }
  });
}

type Failing = { readonly attempt: Attempt; readonly order: Order; readonly code: string };

/** Tells the customer, with the page where the order can be paid; after the second failure in a row nothing more is charged. */
async function fail(deps: TopUpDeps, { attempt, order, code }: Failing): Promise<void> {
  const link = await openPage(deps, order);
  await deps.db.withTransaction(async (tx) => {
    const topUp = await lockTopUp(tx, attempt.topUpId);
    if (!(await endAttempt(tx, attempt.id, { state: "failed", error: code.slice(0, 100) }))) {
      return;
    }
    const failures = topUp.failures + 1;
    await saveFailures(tx, topUp.id, failures);
    if (failures < failuresMax || topUp.status !== "on") {
      await mailFailed(tx, deps, { topUp, order, link });
    } else {
      await saveStatus(tx, topUp.id, { status: "stopped", stopReason: "declined" });
      await mailStopped(tx, deps, topUp, order.orderNo);
    }
  });
}

/** The gateway's page for an order; the billing page if it opens none. */
async function openPage(deps: TopUpDeps, order: Order): Promise<string> {
  const { db, card, rules } = deps;
  if (!(await beginOpening(db, order.orderNo))) {
    return (await findCheckout(db, order.orderNo))?.url ?? rules.billingUrl;
  }
  let checkout: { readonly url: string; readonly reference: string } | null = null;
  try {
    checkout = await card.openCheckout({ order, sender: "default", vendor: "cardpay_card" });
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    deps.log.warn("billing.top_up_page", { orderNo: order.orderNo, code: error.code });
  } finally {
    await endOpening(db, order.orderNo, checkout);
  }
  return checkout?.url ?? rules.billingUrl;
}

async function mailFailed(
  tx: Transaction,
  { mail }: TopUpDeps,
  { topUp, order, link }: { readonly topUp: TopUp; readonly order: Order; readonly link: string },
): Promise<void> {
  const owner = await findOwner(tx, topUp.userId);
  if (owner !== null) {
    await mail.queueMail(tx, {
      ...{ dedupeKey: `top_up_failed:${order.orderNo}`, template: "top_up_failed", source: "billing" },
      ...{ userId: owner.userId, to: owner.email, locale: owner.locale, expiresAt: order.expiresAt },
      variables: { amount: order.amountUsd, currency: order.currency, link },
    });
  }
}

async function mailStopped(tx: Transaction, { mail, rules }: TopUpDeps, topUp: TopUp, cause: string): Promise<void> {
  const owner = await findOwner(tx, topUp.userId);
  if (owner !== null) {
    await mail.queueMail(tx, {
      ...{ dedupeKey: `top_up_stopped:${topUp.topUpNo}:${cause}`, template: "top_up_stopped", source: "billing" },
      ...{ userId: owner.userId, to: owner.email, locale: owner.locale },
      variables: { amount: topUp.priceUsd as Decimal, currency: "USD", billing_link: rules.billingUrl },
    });
  }
}
