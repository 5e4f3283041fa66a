import type { AppRoute } from "../shell/app-routes.ts";
import type { adminNavTexts } from "./texts.ts";

/**
 * Every page of the admin, in the order of the sidebar. A page is a folder below `pages` with a `page.tsx` that exports
 * `Page`; one without `nav` is reached by links only.
 */
export const adminRoutes: readonly AppRoute<typeof adminNavTexts>[] = [
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
    path: "/models/",
    nav: { label: (texts) => texts.models, icon: "box", key: "l", group: (texts) => texts.gateway },
    load: () => import("./pages/models/page.tsx"),
  },
  {
    path: "/model-map/",
    nav: { label: (texts) => texts.modelMap, icon: "map" },
    load: () => import("./pages/model-map/page.tsx"),
  },
  {
    path: "/trace/",
    nav: { label: (texts) => texts.trace, icon: "trace", key: "t" },
    load: () => import("./pages/trace/page.tsx"),
  },
  { path: "/trace/:id/", load: () => import("./pages/trace-detail/page.tsx") },
];
