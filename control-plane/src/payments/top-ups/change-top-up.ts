import { type Decimal, quotaPerUsd } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { toCents } from "../model.ts";
import { makeTopUpNo } from "../orders/order-numbers.ts";
import { findOwner, type OrderPlace, readNow } from "../orders/order-store.ts";
import { quoteOrder } from "../orders/place-order.ts";
import { findActivePlan } from "../plans/plan-store.ts";
import type { TopUpDeps } from "./model.ts";
import {
  findTopUp,
  findTopUpOf,
  insertTopUp,
  lockTopUp,
  markAsked,
  markForgotten,
  saveMethod,
  saveSetupPage,
  saveStatus,
  selectPending,
  selectUnforgotten,
  type TopUp,
} from "./top-up-store.ts";

const account = "default";
const perRunMax = 200;
/** How long the gateway keeps a page open. */
const pageMs = 24 * 3_600_000;
const quotaPerCent = quotaPerUsd / 100n;

export type TopUpWish = {
  readonly planCode: string;
  readonly amountUsd: Decimal | undefined;
  readonly thresholdUsd: Decimal;
  readonly monthMaxUsd: Decimal;
};

type Recording = (tx: Transaction, topUp: TopUp) => Promise<void>;

/**
 * Keeps what the customer agrees to, and opens the gateway's page where a method is saved. It counts once that is done.
 * One that is waiting or was stopped is replaced.
 * @throws AppError `not_offered`, `not_found`, `invalid_amount`, `invalid_value`, `conflict` while one is on, and those of the gateway
 */
export async function startTopUp(
  deps: TopUpDeps,
  place: OrderPlace,
  wish: TopUpWish,
  record: Recording,
): Promise<{ readonly topUp: TopUp; readonly checkoutUrl: string }> {
  if (!deps.rules.isOffered()) {
    throw new AppError("not_offered");
  }
  await deps.card.requireReady(account);
  const { topUp, email, replaced } = await deps.db.withTransaction((tx) => keepWish(tx, place, wish, record));
  if (replaced !== null) {
    await orLater(deps, () => forgetMethod(deps, replaced));
  }
  const page = await deps.card.savedMethods.openSetup({ topUpNo: topUp.topUpNo, account, email });
  await saveSetupPage(deps.db, topUp.id, page);
  return { topUp, checkoutUrl: page.url };
}

async function keepWish(
  tx: Transaction,
  place: OrderPlace,
  wish: TopUpWish,
  record: Recording,
): Promise<{ readonly topUp: TopUp; readonly email: string; readonly replaced: TopUp | null }> {
  const { planCode, amountUsd, thresholdUsd, monthMaxUsd } = wish;
  const owner = await findOwner(tx, place.userId);
  const plan = await findActivePlan(tx, planCode);
  if (owner === null || plan === null || plan.kind !== "wallet_balance") {
    throw notFound("plan", "plan_code");
  }
  const of = { planCode, amountUsd, ...place };
  const { terms } = await quoteOrder(tx, of, { at: await readNow(tx), isReserving: false });
  if (toCents(monthMaxUsd) < toCents(terms.amountUsd)) {
    const sentence = "The maximum per month is less than one top-up.";
    throw new AppError("invalid_value", { message: sentence, fields: { month_max_usd: sentence } });
  }
  const replaced = await replaceOld(tx, place);
  const topUp = await insertTopUp(tx, {
    ...place,
    topUpNo: makeTopUpNo(),
    planCode,
    planName: plan.name,
    chosenUsd: terms.chosenUsd,
    priceUsd: terms.amountUsd,
    thresholdQuota: toCents(thresholdUsd) * quotaPerCent,
    monthMaxUsd,
    account,
  });
  if (topUp === null) {
    throw alreadyOn();
  }
  await record(tx, topUp);
  return { topUp, email: owner.email, replaced };
}

const alreadyOn = (): AppError => new AppError("conflict", { message: "The automatic top-up is on. Remove it first." });

/** Returns the one that it replaces, if any. */
async function replaceOld(tx: Transaction, place: OrderPlace): Promise<TopUp | null> {
  const known = await findTopUpOf(tx, place);
  if (known === null) {
    return null;
  }
  const old = await lockTopUp(tx, known.id);
  if (old.status === "on") {
    throw alreadyOn();
  }
  if (old.status === "pending" || old.status === "stopped") {
    await saveStatus(tx, old.id, { status: old.status === "pending" ? "abandoned" : "removed" });
  }
  return old;
}

/** Asks the gateway whether a method was saved; one whose time is over is given up, and its page closed. */
export async function askSetup(deps: TopUpDeps, topUp: TopUp, at: Date): Promise<TopUp> {
  const { db, card } = deps;
  if (topUp.status !== "pending" || topUp.checkoutReference === null) {
    return topUp;
  }
  const isOver = at.getTime() - topUp.createdAt.getTime() > pageMs;
  const { savedMethods } = card;
  const method = isOver
    ? await savedMethods.closeSetup(topUp.account, topUp.checkoutReference)
    : await savedMethods.readSetup(topUp.account, topUp.checkoutReference);
  if (method !== null) {
    // If it was replaced or removed meanwhile, a job finds the method by its page and has the gateway forget it.
    await saveMethod(db, topUp.id, method);
  } else if (isOver) {
    await db.withTransaction(async (tx) => {
      if ((await lockTopUp(tx, topUp.id)).status === "pending") {
        await saveStatus(tx, topUp.id, { status: "abandoned" });
      }
    });
  }
  return (await findTopUp(db, topUp.id)) ?? topUp;
}

/** The same for all that wait, and has the gateway forget those that are over; returns how many were looked at. */
export async function askSetups(deps: TopUpDeps, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(deps.db));
  const pending = await selectPending(deps.db, perRunMax);
  for (const topUp of pending) {
    await orLater(deps, () => askSetup(deps, topUp, moment));
  }
  const over = await selectUnforgotten(deps.db, perRunMax);
  for (const topUp of over) {
    // One that the gateway does not answer about comes after the others next time.
    await markAsked(deps.db, topUp.id);
    await orLater(deps, () => forgetMethod(deps, topUp));
  }
  return pending.length + over.length;
}

/**
 * Has the gateway forget the method of a top-up that is over. Without a known one, its page is closed first: the
 * customer may have saved a method there since it was asked about. Repeating it changes nothing.
 */
async function forgetMethod({ db, card: { savedMethods } }: TopUpDeps, topUp: TopUp): Promise<void> {
  const { id, account: of, checkoutReference: page, gatewayMethodId } = topUp;
  if (gatewayMethodId === null && page === null) {
    // Its page is just being opened, if at all: there is something to close once that is recorded.
    return;
  }
  const saved = gatewayMethodId === null && page !== null ? await savedMethods.closeSetup(of, page) : null;
  const methodId = gatewayMethodId ?? saved?.methodId;
  if (methodId !== undefined) {
    await savedMethods.detach(of, methodId);
  }
  await markForgotten(db, id);
}

/**
 * Removes the automatic top-up of a wallet: nothing more is charged, and the gateway forgets the method, at the latest
 * when a job asks again.
 * @throws AppError `not_found`
 */
export async function removeTopUp(deps: TopUpDeps, place: OrderPlace, record: Recording): Promise<void> {
  const removed = await deps.db.withTransaction(async (tx) => {
    const known = await findTopUpOf(tx, place);
    if (known === null) {
      throw notFound("top-up");
    }
    const topUp = await lockTopUp(tx, known.id);
    await saveStatus(tx, topUp.id, { status: topUp.gatewayMethodId === null ? "abandoned" : "removed" });
    await record(tx, topUp);
    return topUp;
  });
  await orLater(deps, () => forgetMethod(deps, removed));
}

/** The one that a wallet has; a waiting one is asked about first, since its customer may just have come back. */
export async function readTopUp(deps: TopUpDeps, place: OrderPlace, at: Date): Promise<TopUp | null> {
  const known = await findTopUpOf(deps.db, place);
  if (known?.status !== "pending") {
    return known;
  }
  await orLater(deps, () => askSetup(deps, known, at));
  return await findTopUpOf(deps.db, place);
}

/** What the gateway does not answer is asked again in a later round. */
export async function orLater({ log }: TopUpDeps, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    log.warn("billing.top_up_later", { code: error.code, error });
  }
}
