import { mailLocaleOf } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { findOrganisationName } from "../invoices/invoice-store.ts";
import { nameOfPlan } from "../model.ts";
import { listPayers, type Payer } from "../orders/payer-store.ts";
import { nextTermsOf, type Renewal, type RenewalDeps } from "./model.ts";

type RenewalMail = {
  readonly renewal: Renewal;
  readonly template: "renewal_failed" | "renewal_ended" | "renewal_left" | "renewal_changes";
  /** What the mail is about, beside the renewal: each cause has one mail. */
  readonly cause: string;
};

/** Tells the customer what happens to a plan that renews, or those who may pay for the organisation. */
export async function queueRenewalMail(tx: Transaction, deps: RenewalDeps, told: RenewalMail): Promise<void> {
  const { organisationId } = told.renewal;
  const organisation = organisationId === null ? null : await findOrganisationName(tx, organisationId);
  for (const payer of await listPayers(tx, told.renewal)) {
    await queueFor(tx, deps, { ...told, payer, organisation });
  }
}

type OneMail = RenewalMail & { readonly payer: Payer; readonly organisation: string | null };

async function queueFor(tx: Transaction, { mail, rules }: RenewalDeps, one: OneMail): Promise<void> {
  const { renewal, template, cause, payer, organisation } = one;
  const key = `${template}:${renewal.renewalNo}:${cause}`;
  const shared = {
    dedupeKey: organisation === null ? key : `${key}:${payer.userId}`,
    userId: payer.userId,
    to: payer.email,
    locale: payer.locale,
    source: "billing",
  };
  const name = nameOfPlan(renewal, mailLocaleOf(payer.locale));
  const plan = {
    plan_name: organisation === null ? name : `${name} (${organisation})`,
    billing_link: rules.billingUrl,
  };
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
    case "renewal_left": {
      const until = (renewal.periodEnd ?? new Date(0)).toISOString();
      await mail.queueMail(tx, { ...shared, template, variables: { ...plan, until } });
      return;
    }
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
