import type { LimitedRole } from "./admin-roles.ts";

const paths = (
  roles: readonly LimitedRole[],
  base: string,
  names: string,
): readonly (readonly [string, readonly LimitedRole[]])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [`${base}${name}/`, roles] as const);

const everyRole = ["read_only", "support", "billing"] as const;
const readOnly = ["read_only"] as const;
const support = ["read_only", "support"] as const;
const billing = ["read_only", "billing"] as const;

/**
 * What the limited roles may read of what every admin reads. Reads that require a super-admin, and the rows of
 * `adminRights`, are not here.
 */
export const adminReads: ReadonlyMap<string, readonly LimitedRole[]> = new Map([
  ...paths(support, "/backend/admin/", "user/closing"),
  ...paths(everyRole, "/backend/admin/", "token/list view/list user/list user/export user/detail"),
  ...paths(everyRole, "/backend/admin/", "organisation/list organisation/export organisation/detail"),
  ...paths(everyRole, "/backend/admin/", "usage/list usage/export order/list order/export"),
  ...paths(support, "/backend/admin/", "key/list key/export key/detail limit/explain mail/list mail/export"),
  ...paths(support, "/backend/admin/consent/", "list export"),
  ...paths(support, "/backend/admin/trace/", "list export detail histogram"),
  ...paths(billing, "/backend/admin/payment/", "list export"),
  ...paths(billing, "/backend/admin/gateway-event/", "list export"),
  ...paths(billing, "/backend/admin/refund/", "list export preview"),
  ...paths(billing, "/backend/admin/ledger/", "list export"),
  ...paths(billing, "/backend/admin/plan/", "list export"),
  ...paths(billing, "/backend/admin/code-batch/", "list export"),
  ...paths(billing, "/backend/admin/coupon/", "list export"),
  ...paths(billing, "/backend/admin/top-up/", "list export charge"),
  ...paths(billing, "/backend/admin/referral/", "list export"),
  ...paths(billing, "/backend/admin/invoice/", "list export file terms"),
  ...paths(billing, "/backend/admin/renewal/", "list export"),
  ...paths(billing, "/backend/admin/manual-adjust/", "list export"),
  ...paths(billing, "/backend/admin/", "money-check dashboard overview"),
  ...paths(billing, "/backend/admin/report/", "revenue usage usage/course reconciliation"),
  ...paths(readOnly, "/backend/admin/report/", "margin campaign"),
  ...paths(readOnly, "/backend/admin/", "setup channel-cost/list price-data lead/list lead/export settings/list"),
  ...paths(readOnly, "/backend/admin/", "audit/list audit/export archive/preview"),
  ...paths(readOnly, "/backend/admin/", "registration/credit/list registration/credit/export"),
  ...paths(readOnly, "/backend/admin/mail/", "template template/list"),
  ...paths(readOnly, "/backend/admin/", "branding branding/legal"),
  ...paths(support, "/backend/admin/", "incident/list"),
  ...paths(readOnly, "/backend/admin/group/", "list export detail"),
  ...paths(readOnly, "/backend/admin/model/", "list export explain performance"),
  ...paths(readOnly, "/backend/admin/channel/", "list export health"),
  ...paths(readOnly, "/backend/admin/ability/", "list export"),
  ...paths(readOnly, "/backend/admin/exit-node/", "list export detail account/list route/list"),
  ...paths(readOnly, "/backend/admin/anthropic/model-map/", "list"),
  ...paths(readOnly, "/backend/upstream/auth-profiles/", "list"),
  ...paths(readOnly, "/backend/admin/event-target/", "list deliveries"),
  ...paths(readOnly, "/backend/admin/trace/", "payload/count access/list access/check own-access/list"),
]);
