import { guestOrders } from "../accounts/attempts/sender-limits.ts";
import type { Approvals } from "../admin/approvals/service.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import type { CallerReader } from "../platform/endpoint/model.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { BillingActs } from "./admin/admin-acts.ts";
import { billingAdminEndpoints } from "./admin/admin-routes.ts";
import { CheckoutService } from "./checkout/checkout.ts";
import { checkoutEndpoints } from "./checkout/routes.ts";
import type { Payments } from "./gateways/payment-gateways.ts";
import { checkoutAdminEndpoints } from "./notices/admin-routes.ts";
import { GatewayNotices } from "./notices/notices.ts";
import { expireOverdueOrders } from "./orders/orders.ts";
import type { RefundDeps } from "./port.ts";
import { payWaitingRefunds } from "./refunds/refunds.ts";
import { billingEndpoints } from "./routes.ts";
import { creditWaitingOwners } from "./settle/credit-waiting.ts";
import { endOverdueSubscriptions } from "./subscriptions/subscriptions.ts";

export type PaymentFeatureDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly mails: MailQueue;
  readonly payments: Payments;
  readonly refunds: RefundDeps;
  readonly approvals: Approvals;
  readonly acts: BillingActs;
  readonly admins: Pick<CallerReader, "readAdmin">;
};

/** Plans, orders and subscriptions; what admins do with them; the checkout and the messages of the gateways. */
export function paymentFeatures(deps: PaymentFeatureDeps): Feature[] {
  const { config, db, log, clock, payments, refunds, approvals, acts, admins } = deps;
  const billing = { db, log, mail: deps.mails };
  const guests = guestOrders(db);
  // The configuration refuses it in production.
  const isMockOffered = config.NODE_ENV === "development" || config.PAYMENT_MOCK;
  const notices = new GatewayNotices(billing, payments);
  const checkout = new CheckoutService(billing, payments, { isPlay: config.NODE_ENV !== "production" });
  return [
    {
      name: "billing",
      endpoints: billingEndpoints({ ...billing, isMockOffered, guests, admins }),
      jobs: [
        { name: "expire-orders", pattern: "10 * * * * *", run: (database) => expireOverdueOrders(database) },
        { name: "credit-waiting-owners", pattern: "30 * * * * *", run: creditWaitingOwners },
        { name: "end-subscriptions", pattern: "20 * * * * *", run: (database) => endOverdueSubscriptions(database) },
        { name: "pay-refunds", pattern: "40 * * * * *", run: () => payWaitingRefunds(refunds) },
      ],
    },
    { name: "billing-admin", endpoints: billingAdminEndpoints({ db, approvals, acts }) },
    { name: "checkout", endpoints: checkoutEndpoints({ checkout, notices, guests, isMockOffered }) },
    { name: "checkout-admin", endpoints: checkoutAdminEndpoints({ db, clock, notices }) },
  ];
}
