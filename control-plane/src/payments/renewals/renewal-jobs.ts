import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { readNow } from "../orders/order-store.ts";
import { applyRenewal } from "./apply-renewal.ts";
import { cancelRenewal } from "./change-renewal.ts";
import { nextTermsOf, type Renewal, type RenewalDeps } from "./model.ts";
import { queueRenewalMail } from "./renewal-mails.ts";
import {
  abandonPending,
  findRenewal,
  lockRenewal,
  saveNotice,
  saveTerms,
  selectChanging,
  selectLeft,
  selectOverdue,
  selectSecond,
  selectUnnoticed,
  selectUnpaid,
} from "./renewal-store.ts";

const perRunMax = 200;

/** Gives up renewals that nobody has paid for; returns how many. */
export async function abandonRenewals(db: Database, at?: Date): Promise<number> {
  return await abandonPending(db, at ?? (await readNow(db)), perRunMax);
}

/**
 * Asks the gateway about renewals whose month is over and whose next one is not known yet: its messages can be lost.
 * Returns how many.
 */
export async function askOverdueRenewals(deps: RenewalDeps, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(deps.db));
  const overdue = await selectOverdue(deps.db, moment, perRunMax);
  for (const renewal of overdue) {
    await orLater(deps, () => askAgain(deps, renewal, moment));
  }
  return overdue.length;
}

/** What the gateway says of a renewal now. */
async function askAgain(deps: RenewalDeps, renewal: Renewal, at: Date): Promise<Renewal> {
  const { renewalNo, gatewaySubscriptionId: subscriptionId } = renewal;
  if (subscriptionId !== null) {
    await applyRenewal(deps, renewalNo, { subscriptionId, invoiceId: null }, { at });
  }
  return (await findRenewal(deps.db, renewalNo)) ?? renewal;
}

/**
 * Ends renewals at the gateway whose charges failed for too long, unless they were paid meanwhile; returns how many were
 * looked at.
 */
export async function endUnpaidRenewals(deps: RenewalDeps, at?: Date): Promise<number> {
  const moment = at ?? (await readNow(deps.db));
  const unpaid = await selectUnpaid(deps.db, moment, perRunMax);
  for (const renewal of unpaid) {
    await orLater(deps, async () => {
      const current = await askAgain(deps, renewal, moment);
      if (current.status === "past_due") {
        await cancelRenewal(deps, current, { by: "payment", at: moment });
      }
    });
  }
  return unpaid.length;
}

/**
 * Ends renewals of a plan that their users already have, after they paid on two pages; what was paid stays. Returns how many there
 * were.
 */
export async function endSecondRenewals(deps: RenewalDeps, at?: Date): Promise<number> {
  const second = await selectSecond(deps.db, perRunMax);
  for (const renewal of second) {
    deps.log.error("billing.alarm", { reason: "second_renewal", renewalNo: renewal.renewalNo });
    await orLater(deps, () => cancelRenewal(deps, renewal, { by: "second", ...(at && { at }) }));
  }
  return second.length;
}

/**
 * Ends renewals of organisations at the gateway when the member whose card is charged has left, or may no longer pay: the paid
 * month runs to its end. Returns how many there were.
 */
export async function endLeftRenewals(deps: RenewalDeps, at?: Date): Promise<number> {
  const left = await selectLeft(deps.db, perRunMax);
  for (const renewal of left) {
    await orLater(deps, () => cancelRenewal(deps, renewal, { by: "left", ...(at && { at }) }));
  }
  return left.length;
}

/** Tells customers of the new terms of their plans, and from when they hold; returns how many. */
export async function announceTerms(deps: RenewalDeps, at?: Date): Promise<number> {
  const ids = await selectUnnoticed(deps.db, perRunMax);
  for (const id of ids) {
    await deps.db.withTransaction(async (tx) => {
      const renewal = await lockRenewal(tx, id);
      if (nextTermsOf(renewal) === null || renewal.noticedAt !== null) {
        return;
      }
      const now = at ?? (await readNow(tx));
      const from = new Date(now.getTime() + deps.rules.noticeDays() * 86_400_000);
      await saveNotice(tx, id, { from, at: now });
      const cause = now.getTime().toString();
      await queueRenewalMail(tx, deps, { renewal: { ...renewal, nextFrom: from }, template: "renewal_changes", cause });
    });
  }
  return ids.length;
}

/** Has the gateway charge what was announced, from the next month on; returns how many renewals changed. */
export async function changeTerms(deps: RenewalDeps, at?: Date): Promise<number> {
  const changing = await selectChanging(deps.db, at ?? (await readNow(deps.db)), perRunMax);
  for (const renewal of changing) {
    const terms = nextTermsOf(renewal);
    const { account, gatewaySubscriptionId: id, renewalNo, noticedAt } = renewal;
    if (terms === null || id === null || noticedAt === null) {
      continue;
    }
    await orLater(deps, async () => {
      if (terms.priceUsd !== renewal.priceUsd) {
        const key = `renewal-price:${renewalNo}:${noticedAt.getTime()}`;
        await deps.gateway.changePrice(account, id, { priceUsd: terms.priceUsd, key });
      }
      await deps.db.withTransaction((tx) => saveTerms(tx, renewal, terms));
    });
  }
  return changing.length;
}

/** What the gateway does not answer is asked again in a later round. */
async function orLater({ log }: RenewalDeps, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    log.warn("billing.renewal_later", { code: error.code, error });
  }
}
