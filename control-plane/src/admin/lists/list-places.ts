import type { ListPlace } from "../../platform/list-query/endpoints.ts";
import { audits, consents, keys, mails, organisations, registrationCredits, users } from "./accounts-lists-store.ts";
import { adjustments, gatewayEvents, ledgerEntries, orders, payments, refunds } from "./billing-lists-store.ts";
import { abilities, channels, groups, models, usage } from "./gateway-lists-store.ts";
import { codeBatches, coupons, invoices, plans, referrals, renewals, topUps } from "./sales-lists-store.ts";

const access = "admin";

/** The lists of the admin area and their paths. */
export const listPlaces: readonly ListPlace[] = [
  { path: "/backend/admin/user/", access, about: "users with balance, plans and keys", source: users },
  {
    path: "/backend/admin/registration/credit/",
    access,
    about: "free credit of registrations, paid and refused",
    source: registrationCredits,
  },
  {
    path: "/backend/admin/organisation/",
    access,
    about: "organisations with their owners and balance",
    source: organisations,
  },
  { path: "/backend/admin/consent/", access, about: "who accepted which legal pages", source: consents },
  { path: "/backend/admin/key/", access, about: "API keys of all users, without the secrets", source: keys },
  { path: "/backend/admin/mail/", access, about: "mails with their status, without their content", source: mails },
  { path: "/backend/admin/audit/", access, about: "entries of the audit log", source: audits },
  { path: "/backend/admin/order/", access, about: "orders with payment and credit", source: orders },
  { path: "/backend/admin/payment/", access, about: "payments", source: payments },
  { path: "/backend/admin/refund/", access, about: "refunds", source: refunds },
  {
    path: "/backend/admin/gateway-event/",
    access,
    about: "gateway messages, as interpreted",
    source: gatewayEvents,
  },
  { path: "/backend/admin/ledger/", access, about: "entries of the balance ledger", source: ledgerEntries },
  { path: "/backend/admin/plan/", access, about: "plans, including those not offered", source: plans },
  { path: "/backend/admin/code-batch/", access, about: "batches of redemption codes", source: codeBatches },
  { path: "/backend/admin/coupon/", access, about: "coupons with their uses", source: coupons },
  { path: "/backend/admin/top-up/", access, about: "automatic top-ups", source: topUps },
  { path: "/backend/admin/referral/", access, about: "people who were invited by users", source: referrals },
  { path: "/backend/admin/invoice/", access, about: "invoices and credit notes", source: invoices },
  { path: "/backend/admin/renewal/", access, about: "subscriptions that renew", source: renewals },
  { path: "/backend/admin/manual-adjust/", access, about: "manual balance adjustments", source: adjustments },
  { path: "/backend/admin/model/", access, about: "models with their current prices", source: models },
  { path: "/backend/admin/group/", access, about: "groups with their multiplier and users", source: groups },
  { path: "/backend/admin/channel/", access, about: "channels with the models they serve", source: channels },
  { path: "/backend/admin/ability/", access, about: "abilities: group, model and channel", source: abilities },
  { path: "/backend/admin/usage/", access, about: "relayed calls of all users", source: usage },
];
