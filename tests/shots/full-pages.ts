import { shownRequestId } from "./full-house.ts";
import { shownOrderNo } from "./full-house-sales.ts";
import { type ShownPage, shownPages } from "./pages.ts";

/** Pages that only show something once there is data. */
const pagesOfUse: readonly ShownPage[] = [
  {
    name: "console-consent",
    path: "/console/consent/?next=/console/keys/",
    as: "newcomer",
    arabic: "choice",
    ready: ".legal-text > p",
  },
  {
    name: "console-consent-declined",
    path: "/console/consent/",
    as: "newcomer",
    arabic: "none",
    ready: ".legal-text > p",
    press: ["I don’t accept"],
    waitFor: "[aria-label='Close the account']",
  },
  {
    name: "console-organisation",
    path: "/console/organisation/",
    as: "owner",
    arabic: "choice",
    ready: "main li strong",
  },
  { name: "admin-ledger", path: "/admin/payments/?tab=ledger", as: "admin", arabic: "none", ready: "tbody th" },
  { name: "admin-user-consents", path: "/admin/users/1/?tab=consents", as: "admin", arabic: "none", ready: "tbody th" },
  { name: "admin-keys-open", path: "/admin/keys/?open=1", as: "admin", arabic: "none", ready: ".side-panel" },
  { name: "console-key-open", path: "/console/keys/?open=2", as: "user", arabic: "choice", ready: ".side-panel" },
  {
    name: "console-receipt",
    path: `/console/usage/?open=${shownRequestId}`,
    as: "user",
    arabic: "choice",
    ready: ".side-panel",
  },
  {
    name: "admin-renewals-open",
    path: "/admin/renewals/?open=P00000000000000000000000002",
    as: "admin",
    arabic: "none",
    ready: ".side-panel",
  },
  {
    name: "admin-codes-open",
    path: "/admin/codes/?open=1",
    as: "admin",
    arabic: "none",
    ready: ".side-panel",
  },
  {
    name: "admin-coupons-open",
    path: "/admin/coupons/?open=1",
    as: "admin",
    arabic: "none",
    ready: ".side-panel",
  },
  {
    name: "admin-order-open",
    path: `/admin/orders/?open=${shownOrderNo}`,
    as: "admin",
    arabic: "none",
    ready: ".side-panel",
  },
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

/** Every page where the account is full: a list shows rows. */
export const fullPages: readonly ShownPage[] = [
  ...shownPages.map((shown) =>
    shown.ready === "[data-kind=empty]" && shown.as !== "nobody"
      ? { ...shown, ready: "tbody th, [data-kind=empty], .row-open" }
      : shown,
  ),
  ...pagesOfUse,
];
