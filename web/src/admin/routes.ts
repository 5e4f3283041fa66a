import type { AppRoute } from "../shell/app-routes.ts";
import type { adminNavTexts } from "./texts.ts";

/** `reads` is the request without which the page has nothing to show; a page without it is for everyone. */
export type AdminRoute = AppRoute<typeof adminNavTexts> & { readonly reads?: string };

/**
 * Every page of the admin, in the order of the sidebar. A page is a folder below `pages` with a `page.tsx` that exports
 * `Page`; one without `nav` is reached by links only.
 */
export const adminRoutes: readonly AdminRoute[] = [
  {
    path: "/",
    nav: { label: (texts) => texts.dashboard, icon: "gauge", key: "d" },
    load: () => import("./pages/dashboard/page.tsx"),
  },
  {
    path: "/users/",
    nav: { label: (texts) => texts.users, icon: "users", key: "u", group: (texts) => texts.people },
    reads: "/backend/admin/user/list/",
    load: () => import("./pages/users/page.tsx"),
  },
  { path: "/users/:id/", load: () => import("./pages/user/page.tsx") },
  {
    path: "/organisations/",
    nav: { label: (texts) => texts.organisations, icon: "users" },
    reads: "/backend/admin/organisation/list/",
    load: () => import("./pages/organisations/page.tsx"),
  },
  { path: "/organisations/:id/", load: () => import("./pages/organisation/page.tsx") },
  {
    path: "/keys/",
    nav: { label: (texts) => texts.keys, icon: "key" },
    load: () => import("./pages/keys/page.tsx"),
  },
  {
    path: "/groups/",
    nav: { label: (texts) => texts.groups, icon: "layers" },
    reads: "/backend/admin/group/list/",
    load: () => import("./pages/groups/page.tsx"),
  },
  { path: "/groups/:name/", load: () => import("./pages/group/page.tsx") },
  {
    path: "/limits/",
    nav: { label: (texts) => texts.limits, icon: "gauge" },
    reads: "/backend/admin/limit/explain/",
    load: () => import("./pages/limits/page.tsx"),
  },
  {
    path: "/leads/",
    nav: { label: (texts) => texts.leads, icon: "chat" },
    reads: "/backend/admin/lead/list/",
    load: () => import("./pages/leads/page.tsx"),
  },
  {
    path: "/manual-adjust/",
    nav: { label: (texts) => texts.manualAdjust, icon: "sliders" },
    reads: "/backend/admin/manual-adjust/list/",
    load: () => import("./pages/manual-adjust/page.tsx"),
  },
  {
    path: "/orders/",
    nav: { label: (texts) => texts.orders, icon: "receipt", key: "o", group: (texts) => texts.money },
    reads: "/backend/admin/order/list/",
    load: () => import("./pages/orders/page.tsx"),
  },
  {
    path: "/payments/",
    nav: { label: (texts) => texts.payments, icon: "card" },
    reads: "/backend/admin/payment/list/",
    load: () => import("./pages/payments/page.tsx"),
  },
  {
    path: "/plans/",
    nav: { label: (texts) => texts.plans, icon: "layers", key: "p" },
    reads: "/backend/admin/plan/list/",
    load: () => import("./pages/plans/page.tsx"),
  },
  {
    path: "/codes/",
    nav: { label: (texts) => texts.codes, icon: "key" },
    reads: "/backend/admin/code-batch/list/",
    load: () => import("./pages/codes/page.tsx"),
  },
  {
    path: "/coupons/",
    nav: { label: (texts) => texts.coupons, icon: "receipt" },
    load: () => import("./pages/coupons/page.tsx"),
  },
  {
    path: "/top-ups/",
    nav: { label: (texts) => texts.topUps, icon: "card" },
    load: () => import("./pages/top-ups/page.tsx"),
  },
  {
    path: "/referrals/",
    nav: { label: (texts) => texts.referrals, icon: "users" },
    load: () => import("./pages/referrals/page.tsx"),
  },
  {
    path: "/invoices/",
    nav: { label: (texts) => texts.invoices, icon: "receipt" },
    reads: "/backend/admin/invoice/list/",
    load: () => import("./pages/invoices/page.tsx"),
  },
  {
    path: "/renewals/",
    nav: { label: (texts) => texts.renewals, icon: "receipt" },
    reads: "/backend/admin/renewal/list/",
    load: () => import("./pages/renewals/page.tsx"),
  },
  {
    path: "/approvals/",
    nav: { label: (texts) => texts.approvals, icon: "check" },
    reads: "/backend/admin/approval/list/",
    load: () => import("./pages/approvals/page.tsx"),
  },
  {
    path: "/reports/",
    nav: { label: (texts) => texts.reports, icon: "chart", key: "r" },
    reads: "/backend/admin/report/usage/",
    load: () => import("./pages/reports/page.tsx"),
  },
  {
    path: "/models/",
    nav: { label: (texts) => texts.models, icon: "box", key: "l", group: (texts) => texts.gateway },
    reads: "/backend/admin/model/list/",
    load: () => import("./pages/models/page.tsx"),
  },
  {
    path: "/performance/",
    nav: { label: (texts) => texts.performance, icon: "chart" },
    load: () => import("./pages/performance/page.tsx"),
  },
  {
    path: "/model-map/",
    nav: { label: (texts) => texts.modelMap, icon: "map" },
    reads: "/backend/admin/anthropic/model-map/list/",
    load: () => import("./pages/model-map/page.tsx"),
  },
  {
    path: "/upstreams/",
    nav: { label: (texts) => texts.upstreams, icon: "plug", key: "c" },
    reads: "/backend/admin/channel/list/",
    load: () => import("./pages/upstreams/page.tsx"),
  },
  { path: "/upstreams/add/", load: () => import("./pages/provider/page.tsx") },
  {
    path: "/exit-nodes/",
    nav: { label: (texts) => texts.exitNodes, icon: "globe", key: "n" },
    reads: "/backend/admin/exit-node/list/",
    load: () => import("./pages/exit-nodes/page.tsx"),
  },
  { path: "/exit-nodes/:code/", load: () => import("./pages/exit-node/page.tsx") },
  {
    path: "/trace/",
    nav: { label: (texts) => texts.trace, icon: "trace", key: "t" },
    reads: "/backend/admin/trace/list/",
    load: () => import("./pages/trace/page.tsx"),
  },
  { path: "/trace/:id/", load: () => import("./pages/trace-detail/page.tsx") },
  {
    path: "/mail/",
    nav: { label: (texts) => texts.mail, icon: "mail", key: "m", group: (texts) => texts.service },
    reads: "/backend/admin/mail/list/",
    load: () => import("./pages/mail/page.tsx"),
  },
  { path: "/mail/templates/:name/:locale/", load: () => import("./pages/mail-template/page.tsx") },
  {
    path: "/events/",
    nav: { label: (texts) => texts.events, icon: "chat" },
    reads: "/backend/admin/event-target/list/",
    load: () => import("./pages/events/page.tsx"),
  },
  {
    path: "/secrets/",
    nav: { label: (texts) => texts.secrets, icon: "lock" },
    reads: "/backend/admin/secret/list/",
    load: () => import("./pages/secrets/page.tsx"),
  },
  {
    path: "/admins/",
    nav: { label: (texts) => texts.admins, icon: "users" },
    reads: "/backend/admin/admin/list/",
    load: () => import("./pages/admins/page.tsx"),
  },
  {
    path: "/roles/",
    nav: { label: (texts) => texts.roles, icon: "check" },
    load: () => import("./pages/roles/page.tsx"),
  },
  {
    path: "/registration/",
    nav: { label: (texts) => texts.registration, icon: "users" },
    reads: "/backend/admin/registration/",
    load: () => import("./pages/registration/page.tsx"),
  },
  {
    path: "/sign-in/",
    nav: { label: (texts) => texts.signIn, icon: "plug" },
    reads: "/backend/admin/sign-in-provider/list/",
    load: () => import("./pages/sign-in/page.tsx"),
  },
  {
    path: "/status/",
    nav: { label: (texts) => texts.status, icon: "gauge" },
    load: () => import("./pages/status/page.tsx"),
  },
  {
    path: "/branding/",
    nav: { label: (texts) => texts.branding, icon: "sliders" },
    reads: "/backend/admin/branding/",
    load: () => import("./pages/branding/page.tsx"),
  },
  {
    path: "/settings/",
    nav: { label: (texts) => texts.settings, icon: "sliders" },
    reads: "/backend/admin/settings/list/",
    load: () => import("./pages/settings/page.tsx"),
  },
  {
    path: "/audit/",
    nav: { label: (texts) => texts.audit, icon: "receipt" },
    reads: "/backend/admin/audit/list/",
    load: () => import("./pages/audit/page.tsx"),
  },
  {
    path: "/tokens/",
    nav: { label: (texts) => texts.tokens, icon: "key" },
    load: () => import("./pages/tokens/page.tsx"),
  },
  {
    path: "/account/",
    nav: { label: (texts) => texts.account, icon: "user" },
    load: () => import("./pages/account/page.tsx"),
  },
];
