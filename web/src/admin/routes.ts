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
    path: "/plans/",
    nav: { label: (texts) => texts.plans, icon: "layers", key: "p" },
    load: () => import("./pages/plans/page.tsx"),
  },
];
