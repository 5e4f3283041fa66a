import type { leadEndpoints } from "../admin/leads/routes.ts";
import type { Settings } from "../admin/settings/service.ts";
import type { Branding } from "../branding/service.ts";
import { contactProblemPage } from "../pages/account-pages.ts";
import type { FormLook } from "../pages/form-page.ts";
import { Pages, type PagesDeps } from "../pages/service.ts";
import type { WebBuild } from "../pages/web-build.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import { announcementOf, brandOf } from "./brand.ts";

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

/** The pages for browsers. */
export function openPages(deps: PageDeps, shared: Pick<PagesDeps, "callers" | "consents" | "site">): Pages {
  const { config, webBuild, branding } = deps;
  return new Pages({
    build: webBuild,
    ...shared,
    supportWidgetUrl: config.SUPPORT_WIDGET_URL ?? null,
    look: () => formLook(deps),
    brandFile: (path) => branding.find(path),
    isDevelopment: config.NODE_ENV === "development",
  });
}
