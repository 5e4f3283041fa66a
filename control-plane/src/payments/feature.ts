import { guestOrders, redemptionAttempts, setupPages } from "../accounts/attempts/sender-limits.ts";
import { ClosedMarks } from "../accounts/registration/closed-marks.ts";
import type { Approvals } from "../admin/approvals/service.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { CallerReader } from "../platform/endpoint/model.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { BillingActs } from "./admin/admin-acts.ts";
import { billingAdminEndpoints } from "./admin/admin-routes.ts";
import { type CheckoutRules, CheckoutService } from "./checkout/checkout.ts";
import { checkoutEndpoints } from "./checkout/routes.ts";
import { codeAdminEndpoints, redeemEndpoint } from "./codes/routes.ts";
import { checkCouponEndpoint, couponAdminEndpoints } from "./coupons/routes.ts";
import type { Payments } from "./gateways/payment-gateways.ts";
import { openInvoiceThread } from "./invoices/pdf/render-invoice.ts";
import { invoiceAdminEndpoints, invoiceEndpoints } from "./invoices/routes.ts";
import { checkoutAdminEndpoints } from "./notices/admin-routes.ts";
import { GatewayNotices } from "./notices/notices.ts";
import { expireOverdueOrders } from "./orders/orders.ts";
import type { RefundDeps } from "./port.ts";
import { type ReferralRules, rewardReferrals, takeRewardsBack } from "./referrals/reward-referrals.ts";
import { type ReferralEndpointDeps, referralEndpoints } from "./referrals/routes.ts";
import { payWaitingRefunds } from "./refunds/refunds.ts";
import { Renewals } from "./renewals/apply-renewal.ts";
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
import { renewalAdminEndpoints, renewalEndpoints } from "./renewals/routes.ts";
import { billingEndpoints } from "./routes.ts";
import { creditWaitingOwners } from "./settle/credit-waiting.ts";
import { endOverdueSubscriptions } from "./subscriptions/subscriptions.ts";
import { askSetups } from "./top-ups/change-top-up.ts";
import { chargeTopUps } from "./top-ups/charge-top-up.ts";
import type { TopUpDeps } from "./top-ups/model.ts";
import { topUpEndpoints } from "./top-ups/routes.ts";

export type PaymentFeatureDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly clock: Clock;
  readonly mails: MailQueue;
  readonly payments: Payments;
  readonly refunds: RefundDeps;
  readonly approvals: Approvals;
  readonly acts: BillingActs;
  readonly admins: Pick<CallerReader, "readAdmin">;
  readonly isOffered: CheckoutRules["isOffered"];
  readonly renewalRules: Omit<RenewalRules, "isOffered">;
  readonly referralRules: () => ReferralRules;
  /** The base URL of links to the service. */
  readonly baseUrl: string;
};

/** Plans, orders and subscriptions; what admins do with them; the checkout and the messages of the gateways. */
export function paymentFeatures(deps: PaymentFeatureDeps): Feature[] {
  const { config, db, log, clock, payments, refunds, approvals, acts, admins } = deps;
  const billing = { db, log, mail: deps.mails };
  const guests = guestOrders(db);
  const codeAttempts = redemptionAttempts(db);
  // The configuration refuses it in production.
  const isMockOffered = config.NODE_ENV === "development" || config.PAYMENT_MOCK;
  const renewals: RenewalDeps = {
    ...billing,
    gateway: payments.card.subscriptions,
    rules: { ...deps.renewalRules, isOffered: () => deps.isOffered("cardpay") },
  };
  const notices = new GatewayNotices(billing, payments, new Renewals(renewals));
  const checkout = new CheckoutService(billing, payments, {
    isPlay: config.NODE_ENV !== "production",
    isOffered: deps.isOffered,
  });
  const closedMarks = new ClosedMarks(deps.masterKey);
  const invoices = { db, thread: openInvoiceThread(log) };
  return [
    {
      name: "invoices",
      endpoints: [...invoiceEndpoints(invoices), ...invoiceAdminEndpoints(invoices)],
      stop: async () => invoices.thread.stop(),
    },
    {
      name: "billing",
      endpoints: [
        ...billingEndpoints({ ...billing, isMockOffered, guests, codeAttempts, admins }),
        redeemEndpoint(billing, codeAttempts),
        checkCouponEndpoint(billing, codeAttempts),
      ],
      jobs: [
        { name: "expire-orders", pattern: "10 * * * * *", run: (database) => expireOverdueOrders(database) },
        { name: "credit-waiting-owners", pattern: "30 * * * * *", run: creditWaitingOwners },
        { name: "end-subscriptions", pattern: "20 * * * * *", run: (database) => endOverdueSubscriptions(database) },
        { name: "pay-refunds", pattern: "40 * * * * *", run: () => payWaitingRefunds(refunds) },
      ],
    },
    { name: "billing-admin", endpoints: billingAdminEndpoints({ db, approvals, acts }) },
    {
      name: "codes-admin",
      endpoints: codeAdminEndpoints({ db, masterKey: deps.masterKey, approvals, createBatch: acts.createBatch }),
    },
    { name: "coupons-admin", endpoints: couponAdminEndpoints({ db, approvals, createCoupon: acts.createCoupon }) },
    renewalFeature(renewals),
    topUpFeature({
      ...billing,
      card: payments.card,
      rules: { isOffered: () => deps.isOffered("cardpay"), billingUrl: deps.renewalRules.billingUrl },
    }),
    referralFeature({
      ...{ db, log, rules: deps.referralRules, baseUrl: deps.baseUrl },
      marksOf: (origin) => closedMarks.all(origin),
    }),
    { name: "checkout", endpoints: checkoutEndpoints({ checkout, notices, guests, codeAttempts, isMockOffered }) },
    { name: "checkout-admin", endpoints: checkoutAdminEndpoints({ db, clock, notices }) },
  ];
}

/** Charges of saved payment methods when a balance is low. */
function topUpFeature(deps: TopUpDeps): Feature {
  return {
    name: "top-ups",
    endpoints: topUpEndpoints(deps, setupPages(deps.db)),
    jobs: [
      { name: "charge-top-ups", pattern: "*/20 * * * * *", run: () => chargeTopUps(deps) },
      { name: "ask-setups", pattern: "50 */5 * * * *", run: () => askSetups(deps) },
    ],
  };
}

/** What users get for inviting others. */
function referralFeature(deps: ReferralEndpointDeps): Feature {
  return {
    name: "referrals",
    endpoints: referralEndpoints(deps),
    jobs: [
      { name: "reward-referrals", pattern: "25 */10 * * * *", run: () => rewardReferrals(deps) },
      { name: "take-rewards-back", pattern: "5 */10 * * * *", run: () => takeRewardsBack(deps) },
    ],
  };
}

/** Plans that the card gateway charges for every month. */
function renewalFeature(renewals: RenewalDeps): Feature {
  return {
    name: "renewals",
    endpoints: [...renewalEndpoints(renewals), ...renewalAdminEndpoints(renewals)],
    jobs: [
      { name: "abandon-renewals", pattern: "15 20 * * * *", run: (database) => abandonRenewals(database) },
      { name: "ask-overdue-renewals", pattern: "40 10 * * * *", run: () => askOverdueRenewals(renewals) },
      { name: "end-unpaid-renewals", pattern: "45 * * * * *", run: () => endUnpaidRenewals(renewals) },
      { name: "end-second-renewals", pattern: "35 * * * * *", run: () => endSecondRenewals(renewals) },
      { name: "end-left-renewals", pattern: "25 * * * * *", run: () => endLeftRenewals(renewals) },
      { name: "announce-terms", pattern: "50 * * * * *", run: () => announceTerms(renewals) },
      { name: "change-terms", pattern: "55 */5 * * * *", run: () => changeTerms(renewals) },
    ],
  };
}
