import type { ShownPage } from "./pages.ts";

const admin = { as: "admin", arabic: "none" } as const;

/** Dialogs that a page opens. */
export const shownDialogs: readonly ShownPage[] = [
  {
    name: "console-pay-amount",
    path: "/console/billing/?plan=credit-any",
    as: "user",
    arabic: "choice",
    ready: "dialog[open] .field",
  },
  {
    name: "console-subscribe",
    path: "/console/billing/",
    as: "user",
    arabic: "none",
    ready: "[class*=price]",
    press: ["Subscribe: Monthly 20"],
  },
  {
    ...admin,
    name: "admin-renewal-cancel",
    path: "/admin/renewals/?open=P00000000000000000000000002",
    ready: ".side-panel",
    press: ["Cancel subscription"],
  },
  {
    ...admin,
    name: "admin-invoice-terms",
    path: "/admin/invoices/",
    ready: ".row-open",
    press: ["Seller and taxes"],
  },
  {
    ...admin,
    name: "admin-codes-new",
    path: "/admin/codes/",
    ready: ".row-open, [data-kind=empty]",
    press: ["New batch"],
  },
  { ...admin, name: "admin-registration-edit", path: "/admin/registration/", ready: ".facts", press: ["Edit rules"] },
  {
    ...admin,
    name: "admin-registration-new",
    path: "/admin/registration/",
    ready: ".facts",
    press: ["New invitation"],
  },
  {
    ...admin,
    name: "admin-plan-amount",
    path: "/admin/plans/?open=credit-any",
    ready: ".side-panel",
    press: ["Edit plan"],
  },
  {
    ...admin,
    name: "admin-organisation-new",
    path: "/admin/organisations/",
    ready: "tbody th",
    press: ["New organisation"],
  },
  {
    ...admin,
    name: "admin-organisation-suspend",
    path: "/admin/organisations/1/",
    ready: ".figures",
    press: ["Suspend"],
  },
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
