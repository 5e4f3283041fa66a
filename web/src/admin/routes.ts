import type { AppRoute } from "../shell/app-routes.ts";
import type { AdminPagePath } from "./page-reads.ts";
import type { adminNavTexts } from "./texts.ts";

/** `page-reads.ts` says which roles a page is for. */
export type AdminRoute = AppRoute<typeof adminNavTexts> & { readonly path: AdminPagePath };

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
    load: () => import("./pages/users/page.tsx"),
  },
  { path: "/users/:id/", load: () => import("./pages/user/page.tsx") },
  {
    path: "/organisations/",
    nav: { label: (texts) => texts.organisations, icon: "users" },
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
    load: () => import("./pages/groups/page.tsx"),
  },
  { path: "/groups/:name/", load: () => import("./pages/group/page.tsx") },
  {
    path: "/limits/",
    nav: { label: (texts) => texts.limits, icon: "gauge" },
    load: () => import("./pages/limits/page.tsx"),
  },
  {
    path: "/consents/",
    nav: { label: (texts) => texts.consents, icon: "check" },
    load: () => import("./pages/consents/page.tsx"),
  },
  {
    path: "/leads/",
    nav: { label: (texts) => texts.leads, icon: "chat" },
    load: () => import("./pages/leads/page.tsx"),
  },
  {
    path: "/manual-adjust/",
    nav: { label: (texts) => texts.manualAdjust, icon: "sliders" },
    load: () => import("./pages/manual-adjust/page.tsx"),
  },
  {
    path: "/orders/",
    nav: { label: (texts) => texts.orders, icon: "receipt", key: "o", group: (texts) => texts.money },
    load: () => import("./pages/orders/page.tsx"),
  },
  {
    path: "/payments/",
    nav: { label: (texts) => texts.payments, icon: "card" },
    load: () => import("./pages/payments/page.tsx"),
  },
  {
    path: "/plans/",
    nav: { label: (texts) => texts.plans, icon: "layers", key: "p" },
    load: () => import("./pages/plans/page.tsx"),
  },
  {
    path: "/codes/",
    nav: { label: (texts) => texts.codes, icon: "key" },
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
    load: () => import("./pages/invoices/page.tsx"),
  },
  {
    path: "/renewals/",
    nav: { label: (texts) => texts.renewals, icon: "receipt" },
    load: () => import("./pages/renewals/page.tsx"),
  },
  {
    path: "/approvals/",
    nav: { label: (texts) => texts.approvals, icon: "check" },
    load: () => import("./pages/approvals/page.tsx"),
  },
  {
    path: "/reports/",
    nav: { label: (texts) => texts.reports, icon: "chart", key: "r" },
    load: () => import("./pages/reports/page.tsx"),
  },
  { path: "/figures/", load: () => import("./pages/figures/page.tsx") },
  {
    path: "/models/",
    nav: { label: (texts) => texts.models, icon: "box", key: "l", group: (texts) => texts.gateway },
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
    load: () => import("./pages/model-map/page.tsx"),
  },
  {
    path: "/upstreams/",
    nav: { label: (texts) => texts.upstreams, icon: "plug", key: "c" },
    load: () => import("./pages/upstreams/page.tsx"),
  },
  { path: "/upstreams/add/", load: () => import("./pages/provider/page.tsx") },
  {
    path: "/exit-nodes/",
    nav: { label: (texts) => texts.exitNodes, icon: "globe", key: "n" },
    load: () => import("./pages/exit-nodes/page.tsx"),
  },
  { path: "/exit-nodes/:code/", load: () => import("./pages/exit-node/page.tsx") },
  {
    path: "/trace/",
    nav: { label: (texts) => texts.trace, icon: "trace", key: "t" },
    load: () => import("./pages/trace/page.tsx"),
  },
  { path: "/trace/:id/", load: () => import("./pages/trace-detail/page.tsx") },
  {
    path: "/mail/",
    nav: { label: (texts) => texts.mail, icon: "mail", key: "m", group: (texts) => texts.service },
    load: () => import("./pages/mail/page.tsx"),
  },
  { path: "/mail/templates/:name/:locale/", load: () => import("./pages/mail-template/page.tsx") },
  {
    path: "/events/",
    nav: { label: (texts) => texts.events, icon: "chat" },
    load: () => import("./pages/events/page.tsx"),
  },
  {
    path: "/secrets/",
    nav: { label: (texts) => texts.secrets, icon: "lock" },
    load: () => import("./pages/secrets/page.tsx"),
  },
  {
    path: "/admins/",
    nav: { label: (texts) => texts.admins, icon: "users" },
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
    load: () => import("./pages/registration/page.tsx"),
  },
  {
    path: "/sign-in/",
    nav: { label: (texts) => texts.signIn, icon: "plug" },
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
    load: () => import("./pages/branding/page.tsx"),
  },
  {
    path: "/settings/",
    nav: { label: (texts) => texts.settings, icon: "sliders" },
    load: () => import("./pages/settings/page.tsx"),
  },
  {
    path: "/audit/",
    nav: { label: (texts) => texts.audit, icon: "receipt" },
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
