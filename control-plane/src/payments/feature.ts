import { guestOrders, redemptionAttempts, setupPages } from "../accounts/attempts/sender-limits.ts";
import type { Approvals } from "../admin/approvals/service.ts";
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
import { referralEndpoints } from "./referrals/routes.ts";
import { Renewals } from "./renewals/apply-renewal.ts";
import { renewalAdminEndpoints, renewalEndpoints } from "./renewals/routes.ts";
import { billingEndpoints } from "./routes.ts";
import { topUpEndpoints } from "./top-ups/routes.ts";
import type { PaymentWork } from "./work.ts";

export type PaymentFeatureDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly clock: Clock;
  readonly payments: Payments;
  readonly approvals: Approvals;
  readonly acts: BillingActs;
  readonly admins: Pick<CallerReader, "readAdmin">;
  readonly isOffered: CheckoutRules["isOffered"];
  readonly work: PaymentWork;
  /** The base URL of links to the service. */
  readonly baseUrl: string;
};

/** Plans, orders and subscriptions; what admins do with them; the checkout and the messages of the gateways. */
export function paymentFeatures(deps: PaymentFeatureDeps): Feature[] {
  const { config, db, log, clock, payments, approvals, acts, admins, work } = deps;
  const { billing, renewals } = work;
  const guests = guestOrders(db);
  const codeAttempts = redemptionAttempts(db);
  // The configuration refuses it in production.
  const isMockOffered = config.NODE_ENV === "development" || config.PAYMENT_MOCK;
  const notices = new GatewayNotices(billing, payments, new Renewals(renewals));
  const checkout = new CheckoutService(billing, payments, {
    isPlay: config.NODE_ENV !== "production",
    isOffered: deps.isOffered,
  });
  const invoices = { db, thread: openInvoiceThread(log) };
  return [
    {
      name: "invoices",
      endpoints: [...invoiceEndpoints(invoices), ...invoiceAdminEndpoints(invoices)],
      stop: () => invoices.thread.stop(),
    },
    {
      name: "billing",
      endpoints: [
        ...billingEndpoints({ ...billing, isMockOffered, guests, codeAttempts, admins }),
        redeemEndpoint(billing, codeAttempts),
        checkCouponEndpoint(billing, codeAttempts),
      ],
    },
    { name: "billing-admin", endpoints: billingAdminEndpoints({ db, approvals, acts }) },
    {
      name: "codes-admin",
      endpoints: codeAdminEndpoints({ db, masterKey: deps.masterKey, approvals, createBatch: acts.createBatch }),
    },
    { name: "coupons-admin", endpoints: couponAdminEndpoints({ db, approvals, createCoupon: acts.createCoupon }) },
    { name: "renewals", endpoints: [...renewalEndpoints(renewals), ...renewalAdminEndpoints(renewals)] },
    { name: "top-ups", endpoints: topUpEndpoints(work.topUps, setupPages(db)) },
    { name: "referrals", endpoints: referralEndpoints({ ...work.referrals, baseUrl: deps.baseUrl }) },
    { name: "checkout", endpoints: checkoutEndpoints({ checkout, notices, guests, codeAttempts, isMockOffered }) },
    { name: "checkout-admin", endpoints: checkoutAdminEndpoints({ db, clock, notices }) },
  ];
}
