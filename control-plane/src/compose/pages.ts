import type { leadEndpoints } from "../admin/leads/routes.ts";
import type { Settings } from "../admin/settings/service.ts";
import type { Branding } from "../branding/service.ts";
import { listModelMap } from "../messages-compat/service.ts";
import { listModelsForNewcomers } from "../models/model-store.ts";
import { siteModel } from "../models/site-model.ts";
import { contactProblemPage } from "../pages/account-pages.ts";
import type { FormLook } from "../pages/form-page.ts";
import { Pages, type PagesDeps } from "../pages/service.ts";
import type { WebBuild } from "../pages/web-build.ts";
import { planEntry } from "../payments/answers.ts";
import { selectActivePlans } from "../payments/plans/plan-store.ts";
import { systemClock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import { readShownSuccess } from "../status/service.ts";
import { readPublicPerformance } from "../usage/reports/performance-store.ts";
import { announcementOf, brandOf, siteLegalText, statusRules } from "./brand.ts";

type PageDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly settings: Settings;
  readonly branding: Branding;
  /** Null when the web UI is not built or not served. */
  readonly webBuild: WebBuild | null;
};

/** How the forms look that are served without the single-page programs. */
export function formLook({ webBuild, settings, branding }: PageDeps): FormLook {
  const { values } = settings;
  const announcement = announcementOf(values, systemClock.now());
  return { assets: webBuild?.forms ?? null, brand: brandOf(values, branding.state()), announcement };
}

/** The page that shows what is wrong with a message to sales. */
export function contactPage(deps: PageDeps): Parameters<typeof leadEndpoints>[0]["problemPage"] {
  return (state, status) => contactProblemPage(state, status, formLook(deps));
}

/** The pages for browsers; they are drawn again when something that they show changes. */
export function openPages(deps: PageDeps, logins: Pick<PagesDeps, "callers" | "consents">): Pages {
  const { config, db, log, notifications, webBuild, settings, branding } = deps;
  const origin = publicBaseUrl(config);
  const supportWidgetUrl = config.SUPPORT_WIDGET_URL ?? null;
  const pages = new Pages({
    build: webBuild,
    ...logins,
    readCatalogue: async () => {
      const success = await readShownSuccess(statusRules(settings.values), db, systemClock.now());
      return {
        origin,
        brand: brandOf(settings.values, branding.state()),
        performance: settings.values["models.performance"] ? await readPublicPerformance(db, systemClock.now()) : {},
        success: success.byModel,
        success_overall: success.overall,
        has_status: settings.values["status.page"],
        legal_texts: branding.state().legal.map(siteLegalText),
        announcement: announcementOf(settings.values, systemClock.now()),
        plans: (await selectActivePlans(db)).map((plan) => ({ ...planEntry(plan), quota: plan.quota.toString() })),
        models: (await listModelsForNewcomers(db)).map(siteModel),
        messages_models: (await listModelMap(db)).filter(({ isEnabled }) => isEnabled).map(({ name }) => name),
        support_widget_url: supportWidgetUrl,
      };
    },
    supportWidgetUrl,
    look: () => formLook(deps),
    brandFile: (path) => branding.find(path),
    dataDirectory: config.DATA_DIR,
    isDevelopment: config.NODE_ENV === "development",
    log,
  });
  notifications.listen("catalog_changed", () => pages.refresh());
  notifications.listen("group_changed", () => pages.refresh());
  settings.onChange(() => pages.refresh());
  branding.onChange(() => pages.refresh());
  return pages;
}
