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
  markDetached,
  saveMethod,
  saveSetupPage,
  saveStatus,
  selectAttached,
  selectPending,
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
  const { topUp, email } = await deps.db.withTransaction((tx) => keepWish(tx, place, wish, record));
  const page = await deps.card.savedMethods.openSetup({ topUpNo: topUp.topUpNo, account, email });
  await saveSetupPage(deps.db, topUp.id, page);
  return { topUp, checkoutUrl: page.url };
}

async function keepWish(
  tx: Transaction,
  place: OrderPlace,
  wish: TopUpWish,
  record: Recording,
): Promise<{ readonly topUp: TopUp; readonly email: string }> {
  const { planCode, amountUsd, thresholdUsd, monthMaxUsd } = wish;
  const owner = await findOwner(tx, place.userId);
  const plan = await findActivePlan(tx, planCode);
  if (owner === null || plan === null || plan.kind !== "wallet_balance") {
    throw notFound("plan", "plan_code");
  }
  const of = { planCode, amountUsd, ...place };
  const { terms } = await quoteOrder(tx, of, { at: await readNow(tx), isReserving: false });
  if (toCents(monthMaxUsd) < toCents(terms.amountUsd)) {
    const sentence = "The most per month is less than one top-up.";
    throw new AppError("invalid_value", { message: sentence, fields: { month_max_usd: sentence } });
  }
  await replaceOld(tx, place);
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
  return { topUp, email: owner.email };
}

const alreadyOn = (): AppError => new AppError("conflict", { message: "The automatic top-up is on. Remove it first." });

async function replaceOld(tx: Transaction, place: OrderPlace): Promise<void> {
  const known = await findTopUpOf(tx, place);
  if (known === null) {
    return;
  }
  const { id, status } = await lockTopUp(tx, known.id);
  if (status === "on") {
    throw alreadyOn();
  }
  if (status === "pending" || status === "stopped") {
    await saveStatus(tx, id, { status: status === "pending" ? "abandoned" : "removed" });
  }
}

/** Asks the gateway whether a method was saved; one whose page is closed is given up. */
export async function askSetup(deps: TopUpDeps, topUp: TopUp, at: Date): Promise<TopUp> {
  const { db, card } = deps;
  if (topUp.status !== "pending" || topUp.checkoutReference === null) {
    return topUp;
  }
  const method = await card.savedMethods.readSetup(topUp.account, topUp.checkoutReference);
  if (method !== null) {
    await saveMethod(db, topUp.id, method);
  } else if (at.getTime() - topUp.createdAt.getTime() > pageMs) {
    await db.withTransaction(async (tx) => {
      if ((await lockTopUp(tx, topUp.id)).status === "pending") {
        await saveStatus(tx, topUp.id, { status: "abandoned" });
      }
    });
  }
  return (await findTopUp(db, topUp.id)) ?? topUp;
}

/** The same for all that wait, and has the gateway forget methods that were removed; returns how many were looked at. */
export async function askSetups(deps: TopUpDeps, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(deps.db));
  const pending = await selectPending(deps.db, perRunMax);
  for (const topUp of pending) {
    await orLater(deps, () => askSetup(deps, topUp, moment));
  }
  const attached = await selectAttached(deps.db, perRunMax);
  for (const topUp of attached) {
    await orLater(deps, () => forgetMethod(deps, topUp));
  }
  return pending.length + attached.length;
}

async function forgetMethod({ db, card }: TopUpDeps, { id, account: of, gatewayMethodId }: TopUp): Promise<void> {
  if (gatewayMethodId !== null) {
    await card.savedMethods.detach(of, gatewayMethodId);
    await markDetached(db, id);
  }
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
    await saveStatus(tx, topUp.id, { status: "removed" });
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

/** What the gateway does not answer about is done in a later round. */
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
