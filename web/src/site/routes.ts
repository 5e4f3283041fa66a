import type { SitePage } from "./model.ts";
import { homePage } from "./pages/home/page.tsx";
import { notFoundPage } from "./pages/not-found/page.tsx";
import { pricingPage } from "./pages/pricing/page.tsx";

/** Every public page. A page is a folder below `pages` with a `page.tsx`; its styles are named in `site.css`. */
export const sitePages: readonly SitePage[] = [homePage, pricingPage, notFoundPage];
