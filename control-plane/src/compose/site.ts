import { join } from "node:path";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { listModelMap } from "../messages-compat/service.ts";
import { listModelsForNewcomers } from "../models/model-store.ts";
import { siteModel } from "../models/site-model.ts";
import { SitePages } from "../pages/site-pages.ts";
import { planEntry } from "../payments/answers.ts";
import { selectActivePlans } from "../payments/plans/plan-store.ts";
import { systemClock } from "../platform/clock.ts";
import { publicBaseUrl } from "../platform/config.ts";
import { readShownSuccess } from "../status/service.ts";
import { readPublicPerformance } from "../usage/reports/performance-store.ts";
import type { BackendDeps } from "./backend-deps.ts";
import { announcementOf, brandOf, siteLegalText, statusRules } from "./brand.ts";

/**
 * The public pages, which are rendered before anybody asks for them, and again when something that they show changes; null
 * where they are not built or not served.
 */
export function openSite(deps: BackendDeps): SitePages | null {
  const { config, log, notifications, webBuild, settings, branding } = deps;
  if (webBuild === null) {
    return null;
  }
  const site = new SitePages({
    prerender: webBuild.prerender,
    buildHash: webBuild.hash,
    directory: join(config.DATA_DIR, "site"),
    readCatalogue: () => readCatalogue(deps),
    log,
  });
  const refresh = () => void site.refresh();
  notifications.listen("catalog_changed", refresh);
  notifications.listen("group_changed", refresh);
  settings.onChange(refresh);
  branding.onChange(refresh);
  return site;
}

async function readCatalogue({ config, db, settings, branding }: BackendDeps): Promise<SiteCatalogue> {
  const { values } = settings;
  const success = await readShownSuccess(statusRules(values), db, systemClock.now());
  return {
    origin: publicBaseUrl(config),
    brand: brandOf(values, branding.state()),
    performance: values["models.performance"] ? await readPublicPerformance(db, systemClock.now()) : {},
    success: success.byModel,
    success_overall: success.overall,
    has_status: values["status.page"],
    legal_texts: branding.state().legal.map(siteLegalText),
    announcement: announcementOf(values, systemClock.now()),
    plans: (await selectActivePlans(db)).map((plan) => ({ ...planEntry(plan), quota: plan.quota.toString() })),
    models: (await listModelsForNewcomers(db)).map(siteModel),
    messages_models: (await listModelMap(db)).filter(({ isEnabled }) => isEnabled).map(({ name }) => name),
    support_widget_url: config.SUPPORT_WIDGET_URL ?? null,
  };
}
