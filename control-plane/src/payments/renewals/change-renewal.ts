import type { GatewayUserId } from "@sluice/contracts/ids";
import { lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { makeRenewalNo } from "../orders/order-numbers.ts";
import { findOwner, type OrderPlace, readNow } from "../orders/order-store.ts";
import { lockPlan, type Plan } from "../plans/plan-store.ts";
import { applyRenewal } from "./apply-renewal.ts";
import { isLive, type Renewal, type RenewalDeps, type RenewalEnd } from "./model.ts";
import {
  abandonRenewal,
  findOpenRenewal,
  findRenewal,
  insertRenewal,
  saveCheckout,
  saveEndReason,
} from "./renewal-store.ts";

/** Who agrees, and the account that the months are for: that person's own, or that of an organisation. */
export type RenewalAccount = OrderPlace & { readonly gatewayUserId: GatewayUserId };

export type StartedRenewal = { readonly renewal: Renewal; readonly checkoutUrl: string };

/**
 * Opens the gateway's page on which a customer agrees to pay for a plan every month, for the user's own account or an organisation. While a page is open, a repetition
 * returns it, on the terms that it shows. Each member of an organisation gets a page of their own, which closes that of another: the
 * subscription ends when the one whose card is charged leaves.
 * @throws AppError `not_offered`, `not_found` for a plan that does not renew, `conflict` when the customer has it or another
 * member opens a page at this moment, `gateway_not_configured`, `payment_gateway_failed`
 */
export async function startRenewal(
  deps: RenewalDeps,
  owner: RenewalAccount,
  planCode: string,
): Promise<StartedRenewal> {
  if (!deps.rules.isOffered()) {
    throw new AppError("not_offered");
  }
  const { renewal, email, replaced } = await deps.db.withTransaction((tx) => placeRenewal(tx, owner, planCode));
  if (replaced !== null) {
    await deps.gateway.closeCheckout(renewal.account, replaced);
  }
  if (renewal.checkoutUrl !== null) {
    return { renewal, checkoutUrl: renewal.checkoutUrl };
  }
  const { renewalNo, account, planName, priceUsd } = renewal;
  // Two callers at the same time get the same page, by its idempotency key.
  const closesAt = new Date(renewal.createdAt.getTime() + pageOpenMs);
  const checkout = await deps.gateway.openCheckout({
    renewalNo,
    account,
    planCode,
    planName,
    priceUsd,
    email,
    closesAt,
  });
  if (!(await saveCheckout(deps.db, renewal.id, checkout))) {
    await deps.gateway.closeCheckout(account, checkout.reference);
    throw new AppError("conflict", { message: "Somebody else has just opened this page for the organisation." });
  }
  return { renewal, checkoutUrl: checkout.url };
}

/** How long a page can be paid on, and until when it is shown again: the gateway opens none for less than half an hour. */
const pageOpenMs = 2 * 3_600_000;
const pageShownMs = 3_600_000;

type Placed = {
  readonly renewal: Renewal;
  readonly email: string;
  /** The page of an earlier one, on other terms, of another member or about to close. */
  readonly replaced: string | null;
};

async function placeRenewal(tx: Transaction, account: RenewalAccount, planCode: string): Promise<Placed> {
  const owner = await findOwner(tx, account.userId);
  // A change of the plan waits for this, and then finds this renewal.
  const plan = await lockPlan(tx, planCode);
  if (owner === null || plan === null || plan.status !== "active" || !plan.renews) {
    throw notFound("plan", "plan_code");
  }
  // One purchase for an account at a time.
  await lockUserQuota(tx, account.gatewayUserId);
  const known = await findOpenRenewal(tx, account, planCode);
  if (known !== null && isLive(known)) {
    throw new AppError("conflict", { message: "You already have a subscription to this plan." });
  }
  const { email } = owner;
  const ageMs = known === null ? 0 : (await readNow(tx)).getTime() - known.createdAt.getTime();
  if (known !== null && known.userId === account.userId && hasTermsOf(known, plan) && ageMs < pageShownMs) {
    return { renewal: known, email, replaced: null };
  }
  const replaced = known === null ? null : await abandonRenewal(tx, known.id);
  const renewal = await insertRenewal(tx, { ...account, renewalNo: makeRenewalNo(), plan });
  return { renewal, email, replaced };
}

const hasTermsOf = (renewal: Renewal, plan: Plan): boolean =>
  renewal.priceUsd === plan.priceUsd && renewal.quota === plan.quota && renewal.groupName === plan.groupName;

/** @throws AppError `not_found` for that of another account just as for none */
export async function findOwnRenewal(
  db: Database,
  { gatewayUserId }: Pick<RenewalAccount, "gatewayUserId">,
  renewalNo: string,
): Promise<Renewal> {
  const renewal = await findRenewal(db, renewalNo);
  if (renewal?.gatewayUserId !== gatewayUserId) {
    throw notFound("subscription");
  }
  return renewal;
}

/** The gateway's page where a customer changes the card, or cancels. @throws AppError `conflict` before it was paid */
export async function openPortal({ gateway }: RenewalDeps, renewal: Renewal): Promise<string> {
  if (renewal.gatewayCustomerId === null) {
    throw notYetPaid();
  }
  return await gateway.openPortal(renewal.account, renewal.gatewayCustomerId);
}

export type Cancelling = {
  readonly by: RenewalEnd;
  readonly note?: string;
  /** Writes the audit log, in the transaction that records the intention. */
  readonly record?: (tx: Transaction) => Promise<void>;
  readonly at?: Date;
};

/**
 * Ends a renewal: nothing more is charged, and the paid month runs to its end. A customer may take that back on
 * the gateway's page until then, unless the last charge failed. Repeating it changes nothing.
 * @throws AppError `conflict` before it was paid, `gateway_not_configured`, `payment_gateway_failed`
 */
export async function cancelRenewal(deps: RenewalDeps, renewal: Renewal, cancelling: Cancelling): Promise<Renewal> {
  const { by, note = null, record, at } = cancelling;
  const options = at === undefined ? {} : { at };
  const subscriptionId = renewal.gatewaySubscriptionId;
  if (subscriptionId === null) {
    throw notYetPaid();
  }
  await deps.db.withTransaction(async (tx) => {
    await saveEndReason(tx, renewal.id, { reason: by, note });
    await record?.(tx);
  });
  // What is known here may be old: the gateway decides whether a month is paid that can run to its end.
  await deps.gateway.cancel(renewal.account, subscriptionId, by === "customer" ? "at_end" : "now");
  await applyRenewal(deps, renewal.renewalNo, { subscriptionId, invoiceId: null }, { ...options, endedBy: by });
  return (await findRenewal(deps.db, renewal.renewalNo)) ?? renewal;
}

const notYetPaid = (): AppError =>
  new AppError("conflict", { message: "This subscription has not been paid yet, so nothing is charged for it." });
