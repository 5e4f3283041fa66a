import type { AppRoute } from "../shell/app-routes.ts";
import type { AdminPagePath } from "./page-reads.ts";
import type { adminNavTexts } from "./texts.ts";

/** `page-reads.ts` says which roles a page is for. */
export type AdminRoute = AppRoute<typeof adminNavTexts> & { readonly path: AdminPagePath };

/**
 * Every page of the admin, in the order of the sidebar. A page is a folder below `pages` with a `page.tsx` that exports
 * `Page`; one without `nav` is reached by links only. The build reads this, too: the document of a page names what it loads.
 */
export const adminRoutes: readonly AdminRoute[] = [
  {
    path: "/",
    nav: { label: (texts) => texts.dashboard, icon: "gauge", key: "d" },
    page: "dashboard",
  },
  {
    path: "/users/",
    nav: { label: (texts) => texts.users, icon: "users", key: "u", group: (texts) => texts.people },
    page: "users",
  },
  { path: "/users/:id/", page: "user" },
  {
    path: "/organisations/",
    nav: { label: (texts) => texts.organisations, icon: "users" },
    page: "organisations",
  },
  { path: "/organisations/:id/", page: "organisation" },
  {
    path: "/keys/",
    nav: { label: (texts) => texts.keys, icon: "key" },
    page: "keys",
  },
  {
    path: "/groups/",
    nav: { label: (texts) => texts.groups, icon: "layers" },
    page: "groups",
  },
  { path: "/groups/:name/", page: "group" },
  {
    path: "/limits/",
    nav: { label: (texts) => texts.limits, icon: "gauge" },
    page: "limits",
  },
  {
    path: "/consents/",
    nav: { label: (texts) => texts.consents, icon: "check" },
    page: "consents",
  },
  {
    path: "/leads/",
    nav: { label: (texts) => texts.leads, icon: "chat" },
    page: "leads",
  },
  {
    path: "/manual-adjust/",
    nav: { label: (texts) => texts.manualAdjust, icon: "sliders" },
    page: "manual-adjust",
  },
  {
    path: "/orders/",
    nav: { label: (texts) => texts.orders, icon: "receipt", key: "o", group: (texts) => texts.money },
    page: "orders",
  },
  {
    path: "/payments/",
    nav: { label: (texts) => texts.payments, icon: "card" },
    page: "payments",
  },
  {
    path: "/plans/",
    nav: { label: (texts) => texts.plans, icon: "layers", key: "p" },
    page: "plans",
  },
  {
    path: "/codes/",
    nav: { label: (texts) => texts.codes, icon: "key" },
    page: "codes",
  },
  {
    path: "/coupons/",
    nav: { label: (texts) => texts.coupons, icon: "receipt" },
    page: "coupons",
  },
  {
    path: "/top-ups/",
    nav: { label: (texts) => texts.topUps, icon: "card" },
    page: "top-ups",
  },
  {
    path: "/referrals/",
    nav: { label: (texts) => texts.referrals, icon: "users" },
    page: "referrals",
  },
  {
    path: "/invoices/",
    nav: { label: (texts) => texts.invoices, icon: "receipt" },
    page: "invoices",
  },
  {
    path: "/renewals/",
    nav: { label: (texts) => texts.renewals, icon: "receipt" },
    page: "renewals",
  },
  {
    path: "/approvals/",
    nav: { label: (texts) => texts.approvals, icon: "check" },
    page: "approvals",
  },
  {
    path: "/reports/",
    nav: { label: (texts) => texts.reports, icon: "chart", key: "r" },
    page: "reports",
  },
  { path: "/figures/", page: "figures" },
  {
    path: "/models/",
    nav: { label: (texts) => texts.models, icon: "box", key: "l", group: (texts) => texts.gateway },
    page: "models",
  },
  {
    path: "/performance/",
    nav: { label: (texts) => texts.performance, icon: "chart" },
    page: "performance",
  },
  {
    path: "/model-map/",
    nav: { label: (texts) => texts.modelMap, icon: "map" },
    page: "model-map",
  },
  {
    path: "/upstreams/",
    nav: { label: (texts) => texts.upstreams, icon: "plug", key: "c" },
    page: "upstreams",
  },
  { path: "/upstreams/add/", page: "provider" },
  {
    path: "/exit-nodes/",
    nav: { label: (texts) => texts.exitNodes, icon: "globe", key: "n" },
    page: "exit-nodes",
  },
  { path: "/exit-nodes/:code/", page: "exit-node" },
  {
    path: "/trace/",
    nav: { label: (texts) => texts.trace, icon: "trace", key: "t" },
    page: "trace",
  },
  { path: "/trace/:id/", page: "trace-detail" },
  {
    path: "/mail/",
    nav: { label: (texts) => texts.mail, icon: "mail", key: "m", group: (texts) => texts.service },
    page: "mail",
  },
  { path: "/mail/templates/:name/:locale/", page: "mail-template" },
  {
    path: "/events/",
    nav: { label: (texts) => texts.events, icon: "chat" },
    page: "events",
  },
  {
    path: "/secrets/",
    nav: { label: (texts) => texts.secrets, icon: "lock" },
    page: "secrets",
  },
  {
    path: "/admins/",
    nav: { label: (texts) => texts.admins, icon: "users" },
    page: "admins",
  },
  {
    path: "/roles/",
    nav: { label: (texts) => texts.roles, icon: "check" },
    page: "roles",
  },
  {
    path: "/registration/",
    nav: { label: (texts) => texts.registration, icon: "users" },
    page: "registration",
  },
  {
    path: "/sign-in/",
    nav: { label: (texts) => texts.signIn, icon: "plug" },
    page: "sign-in",
  },
  {
    path: "/status/",
    nav: { label: (texts) => texts.status, icon: "gauge" },
    page: "status",
  },
  {
    path: "/branding/",
    nav: { label: (texts) => texts.branding, icon: "sliders" },
    page: "branding",
  },
  {
    path: "/settings/",
    nav: { label: (texts) => texts.settings, icon: "sliders" },
    page: "settings",
  },
  {
    path: "/audit/",
    nav: { label: (texts) => texts.audit, icon: "receipt" },
    page: "audit",
  },
  {
    path: "/tokens/",
    nav: { label: (texts) => texts.tokens, icon: "key" },
    page: "tokens",
  },
  {
    path: "/account/",
    nav: { label: (texts) => texts.account, icon: "user" },
    page: "account",
  },
];
