import { ClosedMarks } from "../accounts/registration/closed-marks.ts";
import type { MailQueue } from "../mail/model.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { Payments } from "./gateways/payment-gateways.ts";
import { expireOverdueOrders } from "./orders/orders.ts";
import type { BillingDeps, RefundDeps } from "./port.ts";
import {
  type ReferralDeps,
  type ReferralRules,
  rewardReferrals,
  takeRewardsBack,
} from "./referrals/reward-referrals.ts";
import { payWaitingRefunds } from "./refunds/refunds.ts";
import type { RenewalDeps, RenewalRules } from "./renewals/model.ts";
import {
  abandonRenewals,
  announceTerms,
  askOverdueRenewals,
  changeTerms,
  endLeftRenewals,
  endSecondRenewals,
  endUnpaidRenewals,
} from "./renewals/renewal-jobs.ts";
import { creditWaitingOwners } from "./settle/credit-waiting.ts";
import { endOverdueSubscriptions } from "./subscriptions/subscriptions.ts";
import { askSetups } from "./top-ups/change-top-up.ts";
import { chargeTopUps } from "./top-ups/charge-top-up.ts";
import type { TopUpDeps } from "./top-ups/model.ts";

export type PaymentWorkDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly mails: MailQueue;
  readonly payments: Payments;
  readonly refunds: RefundDeps;
  /** Whether the operator offers the card gateway for new payments now. */
  readonly isCardOffered: () => boolean;
  readonly renewalRules: Omit<RenewalRules, "isOffered">;
  readonly referralRules: () => ReferralRules;
};

/** What jobs and endpoints of payments have in common, and the jobs. */
export type PaymentWork = Work & {
  readonly billing: BillingDeps;
  readonly renewals: RenewalDeps;
  readonly topUps: TopUpDeps;
  readonly referrals: ReferralDeps;
};

export function paymentWork(deps: PaymentWorkDeps): PaymentWork {
  const { db, log, payments, refunds, isCardOffered, renewalRules } = deps;
  const billing = { db, log, mail: deps.mails };
  const closedMarks = new ClosedMarks(deps.masterKey);
  const renewals: RenewalDeps = {
    ...billing,
    gateway: payments.card.subscriptions,
    rules: { ...renewalRules, isOffered: isCardOffered },
  };
  const topUps: TopUpDeps = {
    ...billing,
    card: payments.card,
    rules: { isOffered: isCardOffered, billingUrl: renewalRules.billingUrl },
  };
  const referrals = { db, log, rules: deps.referralRules, marksOf: (origin: string) => closedMarks.all(origin) };
  return {
    ...{ billing, renewals, topUps, referrals },
    jobs: [
      { name: "expire-orders", pattern: "10 * * * * *", run: (database) => expireOverdueOrders(database) },
      { name: "credit-waiting-owners", pattern: "30 * * * * *", run: creditWaitingOwners },
      { name: "end-subscriptions", pattern: "20 * * * * *", run: (database) => endOverdueSubscriptions(database) },
      { name: "pay-refunds", pattern: "40 * * * * *", run: () => payWaitingRefunds(refunds) },
      ...renewalJobs(renewals),
      // Charges of saved payment methods when a balance is low.
      { name: "charge-top-ups", pattern: "*/20 * * * * *", run: () => chargeTopUps(topUps) },
      { name: "ask-setups", pattern: "50 */5 * * * *", run: () => askSetups(topUps) },
      // What users get for inviting others.
      { name: "reward-referrals", pattern: "25 */10 * * * *", run: () => rewardReferrals(referrals) },
      { name: "take-rewards-back", pattern: "5 */10 * * * *", run: () => takeRewardsBack(referrals) },
    ],
  };
}

/** Plans that the card gateway charges for every month. */
function renewalJobs(renewals: RenewalDeps): Work["jobs"] {
  return [
    { name: "abandon-renewals", pattern: "15 20 * * * *", run: (database) => abandonRenewals(database) },
    { name: "ask-overdue-renewals", pattern: "40 10 * * * *", run: () => askOverdueRenewals(renewals) },
    { name: "end-unpaid-renewals", pattern: "45 * * * * *", run: () => endUnpaidRenewals(renewals) },
    { name: "end-second-renewals", pattern: "35 * * * * *", run: () => endSecondRenewals(renewals) },
    { name: "end-left-renewals", pattern: "25 * * * * *", run: () => endLeftRenewals(renewals) },
    { name: "announce-terms", pattern: "50 * * * * *", run: () => announceTerms(renewals) },
    { name: "change-terms", pattern: "55 */5 * * * *", run: () => changeTerms(renewals) },
  ];
}
