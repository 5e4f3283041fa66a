import type { Transaction } from "../../platform/db.ts";
import { findOwner } from "../orders/order-store.ts";
import { nextTermsOf, type Renewal, type RenewalDeps } from "./model.ts";

type RenewalMail = {
  readonly renewal: Renewal;
  readonly template: "renewal_failed" | "renewal_ended" | "renewal_changes";
  /** What the mail is about, beside the renewal: each cause has one mail. */
  readonly cause: string;
};

/** Tells the customer what happens to a plan that renews. */
export async function queueRenewalMail(
  tx: Transaction,
  { mail, rules }: RenewalDeps,
  { renewal, template, cause }: RenewalMail,
): Promise<void> {
  const owner = await findOwner(tx, renewal.userId);
  if (owner === null) {
    return;
  }
  const shared = {
    dedupeKey: `${template}:${renewal.renewalNo}:${cause}`,
    userId: owner.userId,
    to: owner.email,
    locale: owner.locale,
    source: "billing",
  };
  const plan = { plan_name: renewal.planName, billing_link: rules.billingUrl };
  const price = { amount: renewal.priceUsd, currency: "USD" };
  switch (template) {
    case "renewal_failed": {
      const until = (renewal.keptUntil ?? new Date(0)).toISOString();
      await mail.queueMail(tx, { ...shared, template, variables: { ...plan, ...price, until } });
      return;
    }
    case "renewal_ended":
      await mail.queueMail(tx, { ...shared, template, variables: plan });
      return;
    case "renewal_changes": {
      const next = nextTermsOf(renewal);
      if (next === null || renewal.nextFrom === null) {
        throw new Error(`renewal ${renewal.renewalNo} has no new terms`);
      }
      const terms = { amount: next.priceUsd, currency: "USD", quota: next.quota.toString() };
      const from = renewal.nextFrom.toISOString();
      await mail.queueMail(tx, { ...shared, template, variables: { ...plan, ...terms, from } });
    }
  }
}
