import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import type { NoticeResult, RenewalHint } from "../gateways/model.ts";
import type { GatewayInvoice, GatewaySubscription } from "../gateways/port.ts";
import { taxOrder } from "../invoices/issue-invoice.ts";
import { makeOrderNo } from "../orders/order-numbers.ts";
import { readNow } from "../orders/order-store.ts";
import type { FaultInjector } from "../port.ts";
import { settleInTransaction, untilCommitKnown } from "../settle/settle-paid.ts";
import { keepMonth } from "../subscriptions/subscription-store.ts";
import { isLive, type Renewal, type RenewalDeps, type RenewalEnd, type RenewalStatus } from "./model.ts";
import { hasPeriod, insertPeriodOrder } from "./period-store.ts";
import { queueRenewalMail } from "./renewal-mails.ts";
import { findHinted, findRenewal, lastPeriodEnd, lockRenewal, saveState } from "./renewal-store.ts";

const triesMax = 5;

/** The time of what is applied; by default the time of the database. */
export type ApplyOptions = {
  readonly at?: Date;
  readonly fault?: FaultInjector;
  /** Who had the gateway end it, just before. */
  readonly endedBy?: RenewalEnd;
};

/** What the gateway has now. */
type GatewayState = { readonly subscription: GatewaySubscription; readonly invoice: GatewayInvoice | null };

/**
 * Applies the gateway's subscriptions. A message only says which one to ask about: messages come twice, late and out of
 * order, but what the gateway answers is its present state.
 */
export class Renewals {
  readonly #deps: RenewalDeps;

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
  }

  /**
   * @param account where the message came in
   * @throws AppError `gateway_not_configured`, `payment_gateway_failed`; nothing happened then
   */
  async take(account: string, hint: RenewalHint, options: ApplyOptions = {}): Promise<NoticeResult> {
    const { db, log } = this.#deps;
    const renewal = await findHinted(db, account, hint);
    if (renewal === null) {
      // The account may have subscriptions of others; a number of ours is a case for a person.
      if (hint.renewalNo === null) {
        return "ignored";
      }
      log.error("billing.alarm", { reason: "unknown_renewal", account, ...hint });
      return "unknown_order";
    }
    const ids = { subscriptionId: hint.subscriptionId, invoiceId: hint.invoiceId };
    return await applyRenewal(this.#deps, renewal.renewalNo, ids, options);
  }
}

type Ids = { readonly subscriptionId: string; readonly invoiceId: string | null };

/**
 * Asks the gateway for a subscription and an invoice of it, by default its latest, outside any transaction, and applies
 * both in one. If anything else was applied in between, it asks again: an older answer never replaces a newer one.
 */
export async function applyRenewal(
  deps: RenewalDeps,
  renewalNo: string,
  { subscriptionId, invoiceId }: Ids,
  options: ApplyOptions = {},
): Promise<NoticeResult> {
  const { db, log } = deps;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const seen = await findRenewal(db, renewalNo);
    if (seen === null) {
      throw new Error(`renewal ${renewalNo} is gone`);
    }
    const { work, askedId } = await askState(deps, seen, { ids: { subscriptionId, invoiceId }, options });
    const { result } = work === null ? { result: "ignored" as const } : await untilCommitKnown(deps, work);
    if (result !== "stale") {
      log.info("billing.renewal", { result, renewalNo, subscriptionId, invoiceId: askedId });
      return result;
    }
  }
  throw new AppError("temporarily_unavailable", { internal: { renewalNo, reason: "changes all the time" } });
}

type Asked = {
  /** Applies what the gateway has; null when that is not about this renewal. */
  readonly work: ((tx: Transaction) => Promise<NoticeResult | "stale">) | null;
  readonly askedId: string | null;
};

async function askState(
  deps: RenewalDeps,
  seen: Renewal,
  { ids, options }: { readonly ids: Ids; readonly options: ApplyOptions },
): Promise<Asked> {
  const { renewalNo, account } = seen;
  const { subscriptionId, invoiceId } = ids;
  const subscription = await deps.gateway.readSubscription(account, subscriptionId);
  if (subscription === null && seen.gatewaySubscriptionId === subscriptionId) {
    return { work: (tx) => applyMissing(tx, deps, { seen, ...options }), askedId: invoiceId };
  }
  const askedId = invoiceId ?? subscription?.latestInvoiceId ?? null;
  const invoice = askedId === null ? null : await deps.gateway.readInvoice(account, askedId);
  if (subscription?.renewalNo !== renewalNo || (invoice !== null && invoice.subscriptionId !== subscriptionId)) {
    deps.log.error("billing.alarm", { reason: "foreign_subscription", renewalNo, subscriptionId, invoiceId: askedId });
    return { work: null, askedId };
  }
  return { work: (tx) => applyState(tx, deps, { seen, state: { subscription, invoice }, ...options }), askedId };
}

type Applying = ApplyOptions & { readonly seen: Renewal; readonly state: GatewayState };

async function applyState(
  tx: Transaction,
  deps: RenewalDeps,
  { seen, state, ...options }: Applying,
): Promise<NoticeResult | "stale"> {
  const renewal = await lockRenewal(tx, seen.id);
  if (renewal.version !== seen.version) {
    return "stale";
  }
  const at = options.at ?? (await readNow(tx));
  const settled = await settleInvoice(tx, deps, { ...options, renewal, invoice: state.invoice, at });
  const isOther = renewal.gatewaySubscriptionId !== null && renewal.gatewaySubscriptionId !== state.subscription.id;
  if (isOther) {
    deps.log.error("billing.alarm", { reason: "second_subscription", renewalNo: renewal.renewalNo });
    return settled ?? "ignored";
  }
  await keepState(tx, deps, { renewal, state, at, endedBy: options.endedBy ?? null });
  return settled ?? "applied";
}

/**
 * The gateway no longer knows the subscription, so that it charges nothing. It ends once its month is over, or when
 * somebody has asked for that; until then a person can look, as it may be the key of another account.
 */
async function applyMissing(
  tx: Transaction,
  { log }: RenewalDeps,
  { seen, ...options }: ApplyOptions & { readonly seen: Renewal },
): Promise<NoticeResult | "stale"> {
  const renewal = await lockRenewal(tx, seen.id);
  if (renewal.version !== seen.version) {
    return "stale";
  }
  const { renewalNo, gatewaySubscriptionId, gatewayCustomerId, periodEnd } = renewal;
  if (!isLive(renewal) || gatewaySubscriptionId === null || gatewayCustomerId === null) {
    return "ignored";
  }
  log.error("billing.alarm", { reason: "subscription_missing", renewalNo, subscriptionId: gatewaySubscriptionId });
  const at = options.at ?? (await readNow(tx));
  const endReason = options.endedBy ?? "unknown";
  if (options.endedBy === undefined && periodEnd !== null && periodEnd > at) {
    return "unknown_order";
  }
  if (periodEnd !== null) {
    await keepMonth(tx, renewal.gatewayUserId, renewal.planCode, periodEnd);
  }
  await saveState(tx, renewal.id, {
    ...{ status: "ended", isCancelledAtEnd: renewal.isCancelledAtEnd, endReason, failedAt: null },
    ...{ gatewaySubscriptionId, gatewayCustomerId, periodEnd, keptUntil: periodEnd },
  });
  return "applied";
}

type Settling = ApplyOptions & {
  readonly renewal: Renewal;
  readonly invoice: GatewayInvoice | null;
  readonly at: Date;
};

/** Settles a paid invoice by an order of its own, once. Null when nothing was paid. */
async function settleInvoice(
  tx: Transaction,
  deps: RenewalDeps,
  { renewal, invoice, at, fault }: Settling,
): Promise<NoticeResult | null> {
  if (invoice === null || invoice.paid === null) {
    return null;
  }
  if (await hasPeriod(tx, renewal, invoice.id)) {
    return "duplicate";
  }
  const orderNo = makeOrderNo();
  const period = { start: invoice.periodStart, end: invoice.periodEnd };
  const { userId, organisationId, priceUsd } = renewal;
  // The card is charged the price of the plan, so that the tax is part of it.
  const tax = (await taxOrder(tx, priceUsd, { userId, organisationId }))?.tax ?? null;
  await insertPeriodOrder(tx, renewal, { orderNo, invoiceId: invoice.id, period, tax, at });
  const notice = { gateway: "cardpay", account: renewal.account, orderNo, ...invoice.paid } as const;
  return await settleInTransaction(tx, deps, { notice, at, ...(fault && { fault }) });
}

type Keeping = {
  readonly renewal: Renewal;
  readonly state: GatewayState;
  readonly at: Date;
  readonly endedBy: RenewalEnd | null;
};

/** Records the gateway's state, and until when the month is kept for the next payment. */
async function keepState(tx: Transaction, deps: RenewalDeps, { renewal, state, at, endedBy }: Keeping): Promise<void> {
  const { subscription, invoice } = state;
  const status = statusOf(renewal, subscription);
  const creditedEnd = await lastPeriodEnd(tx, renewal.id, "credited");
  // A payment that waits for a decision was still made: the next charge is counted from its month.
  const periodEnd = creditedEnd ?? (await lastPeriodEnd(tx, renewal.id, "paid"));
  const goesOn = isLive({ status }) && !subscription.isCancelledAtEnd;
  // The gateway charges some time after the month has ended.
  const graceDays = Math.max(deps.rules.graceDays(), status === "active" ? 1 : 0);
  const graceMs = goesOn ? graceDays * 86_400_000 : 0;
  const keptUntil = new Date((periodEnd ?? invoice?.periodStart ?? at).getTime() + graceMs);
  if (creditedEnd !== null) {
    await keepMonth(tx, renewal.gatewayUserId, renewal.planCode, keptUntil);
  }
  const changed: Renewal = {
    ...renewal,
    ...{ status, periodEnd, keptUntil, isCancelledAtEnd: subscription.isCancelledAtEnd },
    endReason: status === "ended" ? endReasonOf(renewal, endedBy) : intentionOf(renewal, subscription, endedBy),
    failedAt: status === "past_due" ? (renewal.failedAt ?? at) : null,
  };
  await saveState(tx, renewal.id, {
    ...{ status, periodEnd, keptUntil, isCancelledAtEnd: changed.isCancelledAtEnd, endReason: changed.endReason },
    failedAt: changed.failedAt,
    ...{ gatewaySubscriptionId: subscription.id, gatewayCustomerId: subscription.customerId },
  });
  await reportChange(tx, deps, { before: renewal, after: changed, invoice });
}

function statusOf(renewal: Renewal, { state }: GatewaySubscription): RenewalStatus {
  // Nothing of a subscription was paid, and nothing will be.
  const isUnpaid = renewal.status === "pending" || renewal.status === "abandoned";
  return state === "pending" ? renewal.status : state === "ended" && isUnpaid ? "abandoned" : state;
}

/** Null for a renewal that continues: its cancellation may have failed, or the customer may have taken it back. */
function intentionOf(
  { endReason }: Renewal,
  { isCancelledAtEnd }: GatewaySubscription,
  endedBy: RenewalEnd | null,
): RenewalEnd | null {
  return isCancelledAtEnd ? (endReason ?? endedBy) : null;
}

function endReasonOf({ endReason, isCancelledAtEnd, status }: Renewal, endedBy: RenewalEnd | null): RenewalEnd {
  return endReason ?? endedBy ?? (status === "past_due" ? "payment" : isCancelledAtEnd ? "customer" : "gateway");
}

type Change = { readonly before: Renewal; readonly after: Renewal; readonly invoice: GatewayInvoice | null };

/**
 * Tells those who pay about each failed charge, about an end that it causes, and about a renewal that ends because the owner of
 * its card left.
 */
async function reportChange(tx: Transaction, deps: RenewalDeps, { before, after, invoice }: Change): Promise<void> {
  if (after.status === "past_due" && invoice !== null && invoice.paid === null && invoice.attempts > 0) {
    const cause = `${invoice.id}:${invoice.attempts}`;
    await queueRenewalMail(tx, deps, { renewal: after, template: "renewal_failed", cause });
  }
  const isOver = after.status === "ended" && before.status !== "ended";
  if (isOver && after.endReason === "payment") {
    await queueRenewalMail(tx, deps, { renewal: after, template: "renewal_ended", cause: "end" });
  }
  if (isOver && after.endReason === "left") {
    await queueRenewalMail(tx, deps, { renewal: after, template: "renewal_left", cause: "end" });
  }
}
