/**
 * The request without which a page has nothing to show; null for a page that is for every admin. Roles that may not
 * make it are offered neither the page nor a link to it.
 */
export const pageReads = {
  "/": "/backend/admin/overview/",
  "/users/": "/backend/admin/user/list/",
  "/users/:id/": "/backend/admin/user/detail/",
  "/organisations/": "/backend/admin/organisation/list/",
  "/organisations/:id/": "/backend/admin/organisation/detail/",
  "/keys/": "/backend/admin/key/list/",
  "/groups/": "/backend/admin/group/list/",
  "/groups/:name/": "/backend/admin/group/detail/",
  "/limits/": "/backend/admin/limit/explain/",
  "/consents/": "/backend/admin/consent/list/",
  "/leads/": "/backend/admin/lead/list/",
  "/manual-adjust/": "/backend/admin/manual-adjust/list/",
  "/orders/": "/backend/admin/order/list/",
  "/payments/": "/backend/admin/payment/list/",
  "/plans/": "/backend/admin/plan/list/",
  "/codes/": "/backend/admin/code-batch/list/",
  "/coupons/": "/backend/admin/coupon/list/",
  "/top-ups/": "/backend/admin/top-up/list/",
  "/referrals/": "/backend/admin/referral/list/",
  "/invoices/": "/backend/admin/invoice/list/",
  "/renewals/": "/backend/admin/renewal/list/",
  "/approvals/": "/backend/admin/approval/list/",
  "/reports/": "/backend/admin/report/usage/",
  "/figures/": null,
  "/models/": "/backend/admin/model/list/",
  "/performance/": "/backend/admin/model/performance/",
  "/model-map/": "/backend/admin/anthropic/model-map/list/",
  "/upstreams/": "/backend/admin/channel/list/",
  "/upstreams/add/": "/backend/admin/channel/adopt/",
  "/exit-nodes/": "/backend/admin/exit-node/list/",
  "/exit-nodes/:code/": "/backend/admin/exit-node/detail/",
  "/trace/": "/backend/admin/trace/list/",
  "/trace/:id/": "/backend/admin/trace/detail/",
  "/mail/": "/backend/admin/mail/list/",
  "/mail/templates/:name/:locale/": "/backend/admin/mail/template/",
  "/events/": "/backend/admin/event-target/list/",
  "/secrets/": "/backend/admin/secret/list/",
  "/admins/": "/backend/admin/admin/list/",
  "/roles/": null,
  "/registration/": "/backend/admin/registration/",
  "/sign-in/": "/backend/admin/sign-in-provider/list/",
  "/status/": "/backend/admin/incident/list/",
  "/branding/": "/backend/admin/branding/",
  "/settings/": "/backend/admin/settings/list/",
  "/audit/": "/backend/admin/audit/list/",
  "/tokens/": "/backend/admin/token/list/",
  "/account/": null,
} as const satisfies Readonly<Record<string, string | null>>;

/** The path of a page below `/admin`; `:name` is a parameter. */
export type AdminPagePath = keyof typeof pageReads;

const patterns = Object.entries(pageReads).map(([path, reads]) => ({
  reads,
  pattern: new RegExp(`^/admin${path.replaceAll(/:\w+/g, "[^/]+")}$`),
}));

/**
 * What the page at an address reads; null for a page of every admin, and for an address without a page.
 * @param href with `/admin`, and perhaps a query
 */
export function readsAt(href: string): string | null {
  const [path = ""] = href.split("?");
  return patterns.find(({ pattern }) => pattern.test(path))?.reads ?? null;
}
