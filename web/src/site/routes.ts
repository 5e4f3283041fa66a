import type { SitePage } from "./model.ts";
import { apiDescriptionPage } from "./pages/api-description/page.tsx";
import { contactPage, contactSentPage } from "./pages/contact/page.tsx";
import { docsPage } from "./pages/docs/page.tsx";
import { docsAgentsPage } from "./pages/docs-agents/page.tsx";
import { docsApiPage } from "./pages/docs-api/page.tsx";
import { docsAutomationPage } from "./pages/docs-automation/page.tsx";
import { docsBillingPage } from "./pages/docs-billing/page.tsx";
import { docsChangelogPage } from "./pages/docs-changelog/page.tsx";
import { docsClientsPage } from "./pages/docs-clients/page.tsx";
import { docsErrorsPage } from "./pages/docs-errors/page.tsx";
import { docsGuidesPage } from "./pages/docs-guides/page.tsx";
import { docsLimitsPage } from "./pages/docs-limits/page.tsx";
import { docsQuickstartPage } from "./pages/docs-quickstart/page.tsx";
import { docsTroubleshootingPage } from "./pages/docs-troubleshooting/page.tsx";
import { homePage } from "./pages/home/page.tsx";
import { modelsPage } from "./pages/models/page.tsx";
import { notFoundPage } from "./pages/not-found/page.tsx";
import { pricingPage } from "./pages/pricing/page.tsx";
import { unavailablePage } from "./pages/unavailable/page.tsx";

/** Every public page. A page is a folder below `pages` with a `page.tsx`; its styles are named in `site.css`. */
export const sitePages: readonly SitePage[] = [
  homePage,
  pricingPage,
  docsPage,
  docsQuickstartPage,
  docsClientsPage,
  docsAgentsPage,
  docsGuidesPage,
  docsApiPage,
  docsErrorsPage,
  docsLimitsPage,
  docsBillingPage,
  docsAutomationPage,
  docsTroubleshootingPage,
  docsChangelogPage,
  apiDescriptionPage,
  modelsPage,
  contactPage,
  contactSentPage,
  notFoundPage,
  unavailablePage,
];
