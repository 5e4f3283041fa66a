import { shownRequestId } from "./full-house.ts";

/** A page that is photographed and checked by axe. */
export type ShownPage = {
  /** Of the file. */
  readonly name: string;
  readonly path: string;
  /** Whose login it needs. */
  readonly as: "nobody" | "user" | "admin";
  /** How it is shown in Arabic: at an address of its own, by the choice of the user, by `?dir=rtl`, or not at all. */
  readonly arabic: "address" | "choice" | "direction" | "none";
  /** What the page shows when it is ready. */
  readonly ready: string;
  /** The names of buttons that are pressed then, one after the other. */
  readonly press?: readonly string[];
  readonly expectedStatuses?: readonly number[];
};

/** Every page, in its states. A new page gets a line. */
export const shownPages: readonly ShownPage[] = [
  { name: "site-home", path: "/", as: "nobody", arabic: "address", ready: "h1" },
  { name: "site-pricing", path: "/pricing/", as: "nobody", arabic: "address", ready: ".calculator output" },
  { name: "site-docs", path: "/docs/", as: "nobody", arabic: "address", ready: ".doc-end" },
  { name: "site-docs-quickstart", path: "/docs/quickstart/", as: "nobody", arabic: "address", ready: ".doc-end" },
  { name: "site-docs-clients", path: "/docs/clients/", as: "nobody", arabic: "address", ready: ".doc-end" },
  { name: "site-docs-agents", path: "/docs/agents/", as: "nobody", arabic: "address", ready: ".doc-end" },
  { name: "site-docs-billing", path: "/docs/billing/", as: "nobody", arabic: "address", ready: ".doc-end" },
  { name: "site-models", path: "/models/", as: "nobody", arabic: "address", ready: ".model-table" },
  {
    name: "site-models-compared",
    path: "/models/?q=gpt&sort=input&unit=thousand&compare=gpt-4o-mini",
    as: "nobody",
    arabic: "address",
    ready: ".model-comparison",
  },
  { name: "site-models-none", path: "/models/?q=nothing-like-it", as: "nobody", arabic: "address", ready: ".state" },
  { name: "site-model", path: "/models/gpt-4o-mini/", as: "nobody", arabic: "address", ready: ".first-call" },
  { name: "site-contact", path: "/contact/", as: "nobody", arabic: "address", ready: ".contact-form" },
  { name: "site-contact-sent", path: "/contact/sent/", as: "nobody", arabic: "address", ready: "h1" },
  {
    name: "site-not-found",
    path: "/no-such-page/",
    as: "nobody",
    arabic: "address",
    ready: "h1",
    expectedStatuses: [404],
  },
  { name: "login", path: "/login/", as: "nobody", arabic: "address", ready: "form" },
  { name: "login-signed-in", path: "/login/", as: "user", arabic: "address", ready: "form" },
  { name: "register", path: "/register/", as: "nobody", arabic: "address", ready: "form" },
  { name: "verify-email", path: "/verify-email/", as: "nobody", arabic: "address", ready: "form" },
  { name: "verify-email-link", path: "/verify-email/?token=x", as: "nobody", arabic: "address", ready: "form" },
  { name: "reset-password", path: "/reset-password/", as: "nobody", arabic: "address", ready: "form" },
  { name: "admin-login", path: "/admin/", as: "nobody", arabic: "none", ready: "form", expectedStatuses: [401] },
  { name: "console-home", path: "/console/", as: "user", arabic: "choice", ready: ".uplot" },
  { name: "console-keys", path: "/console/keys/", as: "user", arabic: "choice", ready: "[data-kind=empty], .row-open" },
  { name: "console-usage", path: "/console/usage/", as: "user", arabic: "choice", ready: ".uplot" },
  { name: "console-billing", path: "/console/billing/", as: "user", arabic: "choice", ready: "[class*=price]" },
  {
    name: "console-orders",
    path: "/console/billing/?tab=orders",
    as: "user",
    arabic: "choice",
    ready: "[data-kind=empty], .row-open",
  },
  {
    name: "console-ledger",
    path: "/console/billing/?tab=entries",
    as: "user",
    arabic: "choice",
    ready: "tbody th, [data-kind=empty]",
  },
  {
    name: "console-statements",
    path: "/console/billing/?tab=statements",
    as: "user",
    arabic: "choice",
    ready: "tfoot",
  },
  {
    name: "console-upstreams",
    path: "/console/upstreams/",
    as: "user",
    arabic: "choice",
    ready: "tbody th, [data-kind=empty]",
  },
  { name: "console-tokens", path: "/console/tokens/", as: "user", arabic: "choice", ready: ".plain-list, .state" },
  {
    name: "console-tokens-create",
    path: "/console/tokens/",
    as: "user",
    arabic: "none",
    ready: ".plain-list, .state",
    press: ["Create token"],
  },
  { name: "console-account", path: "/console/account/", as: "user", arabic: "choice", ready: ".facts" },
  { name: "console-playground", path: "/console/playground/", as: "user", arabic: "choice", ready: ".code" },
  { name: "console-unknown", path: "/console/nothing/", as: "user", arabic: "choice", ready: ".state" },
  { name: "admin-dashboard", path: "/admin/", as: "admin", arabic: "none", ready: ".facts" },
  { name: "admin-plans", path: "/admin/plans/", as: "admin", arabic: "none", ready: ".row-open" },
  { name: "admin-plans-open", path: "/admin/plans/?open=credit-10", as: "admin", arabic: "none", ready: ".side-panel" },
  {
    name: "admin-plans-none",
    path: "/admin/plans/?status=hidden",
    as: "admin",
    arabic: "none",
    ready: "[data-kind=empty]",
  },
  { name: "admin-users", path: "/admin/users/", as: "admin", arabic: "none", ready: ".row-open" },
  { name: "admin-user", path: "/admin/users/1/", as: "admin", arabic: "none", ready: ".figures" },
  { name: "admin-groups", path: "/admin/groups/", as: "admin", arabic: "none", ready: "tbody th" },
  { name: "admin-group", path: "/admin/groups/default/", as: "admin", arabic: "none", ready: ".facts" },
  {
    name: "admin-group-users",
    path: "/admin/groups/default/?tab=users",
    as: "admin",
    arabic: "none",
    ready: ".table-area",
  },
  { name: "admin-limits", path: "/admin/limits/?user_id=1", as: "admin", arabic: "none", ready: ".table" },
  { name: "admin-manual-adjust", path: "/admin/manual-adjust/", as: "admin", arabic: "none", ready: ".form" },
  { name: "admin-orders", path: "/admin/orders/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-payments", path: "/admin/payments/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  {
    name: "admin-notices",
    path: "/admin/payments/?tab=notices",
    as: "admin",
    arabic: "none",
    ready: "[data-kind=empty]",
  },
  { name: "admin-money-check", path: "/admin/payments/?tab=check", as: "admin", arabic: "none", ready: ".notice" },
  { name: "admin-approvals", path: "/admin/approvals/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-models", path: "/admin/models/", as: "admin", arabic: "none", ready: ".row-open" },
  {
    name: "admin-models-open",
    path: "/admin/models/?open=gpt-4o-mini",
    as: "admin",
    arabic: "none",
    ready: ".side-panel",
  },
  { name: "admin-provider-prices", path: "/admin/models/?tab=prices", as: "admin", arabic: "none", ready: ".facts" },
  {
    name: "admin-route-tester",
    path: "/admin/models/?tab=tester&name=gpt-4o-mini",
    as: "admin",
    arabic: "none",
    ready: ".facts",
  },
  { name: "admin-model-map", path: "/admin/model-map/", as: "admin", arabic: "none", ready: ".table-area" },
  { name: "admin-trace", path: "/admin/trace/", as: "admin", arabic: "none", ready: ".table-area" },
  { name: "admin-leads", path: "/admin/leads/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-reports", path: "/admin/reports/", as: "admin", arabic: "none", ready: ".uplot" },
  { name: "admin-upstreams", path: "/admin/upstreams/?open=1", as: "admin", arabic: "none", ready: ".side-panel" },
  {
    name: "admin-health",
    path: "/admin/upstreams/?view=health",
    as: "admin",
    arabic: "none",
    ready: "main :is(table, [data-kind=empty])",
  },
  { name: "admin-provider", path: "/admin/upstreams/add/", as: "admin", arabic: "none", ready: "[class*=providers]" },
  { name: "admin-exit-nodes", path: "/admin/exit-nodes/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-mail", path: "/admin/mail/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  {
    name: "admin-mail-template",
    path: "/admin/mail/templates/email_verify/en/",
    as: "admin",
    arabic: "none",
    ready: "iframe",
  },
  { name: "admin-admins", path: "/admin/admins/", as: "admin", arabic: "none", ready: ".row-open" },
  { name: "admin-secrets", path: "/admin/secrets/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-settings", path: "/admin/settings/", as: "admin", arabic: "none", ready: "form input" },
  { name: "admin-audit", path: "/admin/audit/", as: "admin", arabic: "none", ready: "[data-kind=empty]" },
  { name: "admin-tokens", path: "/admin/tokens/", as: "admin", arabic: "none", ready: ".table, .state" },
  {
    name: "admin-tokens-create",
    path: "/admin/tokens/",
    as: "admin",
    arabic: "none",
    ready: ".table, .state",
    press: ["Create token"],
  },
  { name: "admin-account", path: "/admin/account/", as: "admin", arabic: "none", ready: ".facts" },
  { name: "kit", path: "/__kit", as: "nobody", arabic: "direction", ready: ".uplot" },
  { name: "kit-empty", path: "/__kit?table=empty", as: "nobody", arabic: "none", ready: ".uplot" },
  { name: "kit-loading", path: "/__kit?table=loading", as: "nobody", arabic: "none", ready: ".uplot" },
  { name: "kit-error", path: "/__kit?table=error", as: "nobody", arabic: "none", ready: ".uplot" },
];

/** Pages that only show something once there is data. */
const pagesOfUse: readonly ShownPage[] = [
  { name: "console-key-open", path: "/console/keys/?open=2", as: "user", arabic: "choice", ready: ".side-panel" },
  {
    name: "console-receipt",
    path: `/console/usage/?open=${shownRequestId}`,
    as: "user",
    arabic: "choice",
    ready: ".side-panel",
  },
  { name: "admin-order-open", path: "/admin/orders/?open=1", as: "admin", arabic: "none", ready: ".row-open" },
  {
    name: "admin-trace-detail",
    path: `/admin/trace/${shownRequestId}/`,
    as: "admin",
    arabic: "none",
    ready: ".facts",
  },
  { name: "admin-exit-node", path: "/admin/exit-nodes/node-1/", as: "admin", arabic: "none", ready: ".facts" },
  { name: "admin-lead-open", path: "/admin/leads/?open=1", as: "admin", arabic: "none", ready: ".side-panel" },
];

const admin = { as: "admin", arabic: "none" } as const;

/** Dialogs that a page opens. */
export const shownDialogs: readonly ShownPage[] = [
  { ...admin, name: "admin-group-new", path: "/admin/groups/", ready: "tbody th", press: ["New group"] },
  { ...admin, name: "admin-group-edit", path: "/admin/groups/pro/", ready: ".facts", press: ["Edit"] },
  { ...admin, name: "admin-group-assign", path: "/admin/groups/pro/", ready: ".facts", press: ["Add users"] },
  { ...admin, name: "admin-limits-edit", path: "/admin/limits/", ready: ".table", press: ["Edit the default"] },
  {
    ...admin,
    name: "admin-fallbacks-new",
    path: "/admin/models/?open=gpt-4o-mini",
    ready: ".side-panel",
    press: ["Add fallbacks"],
  },
  {
    ...admin,
    name: "admin-price-address",
    path: "/admin/models/?tab=prices",
    ready: ".facts",
    press: ["Set the address"],
  },
  {
    ...admin,
    name: "admin-channel-edit",
    path: "/admin/upstreams/?open=1",
    ready: ".side-panel",
    press: ["Edit channel"],
  },
];

/** Every page where the account is full: a list shows rows. */
export const fullPages: readonly ShownPage[] = [
  ...shownPages.map((shown) =>
    shown.ready === "[data-kind=empty]" && shown.as !== "nobody"
      ? { ...shown, ready: "tbody th, [data-kind=empty], .row-open" }
      : shown,
  ),
  ...pagesOfUse,
];
