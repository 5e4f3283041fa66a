import type { Accounts } from "../accounts/accounts.ts";
import { leadSenders } from "../accounts/attempts/sender-limits.ts";
import { approvalEndpoints } from "../admin/approvals/routes.ts";
import { archiveEndpoints } from "../admin/archive/routes.ts";
import { bulkEndpoints } from "../admin/bulk/routes.ts";
import { analyticsEndpoints } from "../admin/campaigns/routes.ts";
import { changePreviewEndpoints } from "../admin/change-preview/routes.ts";
import { leadEndpoints, leadPlace } from "../admin/leads/routes.ts";
import { listPlaces } from "../admin/lists/list-places.ts";
import { exportRecorder } from "../admin/lists/record-export.ts";
import { routeExplanationEndpoints } from "../admin/route-explanation/routes.ts";
import { savedViewEndpoints } from "../admin/saved-views/routes.ts";
import { type SecretEndpointDeps, secretEndpoints } from "../admin/secrets/routes.ts";
import type { SettingValues } from "../admin/settings/registry.ts";
import { settingEndpoints } from "../admin/settings/routes.ts";
import { setupEndpoints } from "../admin/setup/routes.ts";
import { upstreamAuthEndpoints } from "../admin/upstream-auth/routes.ts";
import { organisationDetailEndpoints } from "../admin/user-detail/organisation-routes.ts";
import { userDetailEndpoints } from "../admin/user-detail/routes.ts";
import { descriptionEndpoints } from "../api-description/routes.ts";
import { brandingEndpoints } from "../branding/routes.ts";
import { consentEndpoints } from "../consents/routes.ts";
import { Consents, countConsents } from "../consents/service.ts";
import { eventTargetFeature } from "../event-targets/feature.ts";
import { exitNodeEndpoints, exitNodeFilePlace } from "../exit-nodes/admin-routes.ts";
import { gatewayFeatures } from "../gateway/feature.ts";
import { moneyCheckEndpoints } from "../ledger/routes.ts";
import { mailFeature } from "../mail/feature.ts";
import { mailSecretOf } from "../mail/senders/open-sender.ts";
import { modelMapEndpoints } from "../messages-compat/admin-endpoints.ts";
import { listModelsForNewcomers } from "../models/model-store.ts";
import { offeredModelEndpoints } from "../models/routes.ts";
import { siteModel } from "../models/site-model.ts";
import { membershipsOf, organisationFeature } from "../organisations/feature.ts";
import type { SitePages } from "../pages/site-pages.ts";
import { paymentFeatures } from "../payments/feature.ts";
import { systemClock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { AnyEndpoint } from "../platform/endpoint/model.ts";
import { addEndpoints, type EndpointDeps } from "../platform/endpoint/routes.ts";
import type { Feature } from "../platform/feature.ts";
import { fileEndpoints, type ListDeps, listEndpoints } from "../platform/list-query/endpoints.ts";
import { statusFeature } from "../status/feature.ts";
import { traceFeature } from "../trace/feature.ts";
import { traceFilePlace } from "../trace/routes.ts";
import { usageFeatures } from "../usage/feature.ts";
import { openAccounts, returnsLinks } from "./accounts.ts";
import { openActs, openApprovals } from "./approvals.ts";
import type { BackendRoutes } from "./backend-app.ts";
import type { BackendDeps } from "./backend-deps.ts";
import { mailLookOf, statusRules } from "./brand.ts";
import { clientSettings } from "./client-settings.ts";
import { gatewayUsers } from "./gateway-users.ts";
import { contactPage, openPages } from "./pages.ts";
import { cacheRules, traceRules } from "./setting-rules.ts";
import { setupDeps } from "./setup.ts";
import type { WorkServices } from "./work.ts";

/** Everything under `/backend`, and the pages: the features' endpoints, wired together. */
export type Backend = {
  readonly routes: BackendRoutes;
  /** The endpoints, each with who may call it. */
  readonly endpoints: readonly AnyEndpoint[];
  /** Ends what endpoints have started. */
  readonly stop: () => void;
};

/** Undeclared responses are logged in development and fail a test. */
const answerChecks = { production: "none", development: "log", test: "refuse" } as const;

/** @param site the public pages; null if there are none */
export function buildBackend(deps: BackendDeps, services: WorkServices, site: SitePages | null): Backend {
  const { config, log } = deps;
  const { features, accounts, consents } = openFeatures(deps, services);
  const pages = openPages(deps, { callers: accounts.callers, consents, site });
  const groups: readonly Pick<Feature, "name" | "endpoints">[] = [
    ...features,
    openBulkActions(deps, () => groups.flatMap((group) => group.endpoints)),
    {
      name: "change-preview",
      endpoints: changePreviewEndpoints({ db: deps.db, endpoints: () => groups.flatMap((group) => group.endpoints) }),
    },
    {
      name: "api-description",
      endpoints: descriptionEndpoints(
        () => groups,
        () => deps.settings.values["brand.name"],
        () => pages.apiFrame(),
      ),
    },
  ];
  const declared = groups.flatMap((group) => group.endpoints);
  const endpointDeps: EndpointDeps = {
    callers: accounts.callers,
    memberships: membershipsOf(deps.db),
    consents,
    ...clientSettings(config),
    log,
    answerCheck: answerChecks[config.NODE_ENV],
  };
  return {
    routes: {
      addTo: (app) => addEndpoints(app, declared, endpointDeps),
      page: (request) => pages.answer(request),
      failedPage: (request, requestId) => pages.failed(request, requestId),
    },
    endpoints: declared,
    stop: () => {
      for (const { stop } of features) {
        stop?.();
      }
    },
  };
}

type OpenFeatures = {
  readonly features: readonly Feature[];
  readonly accounts: Accounts;
  readonly consents: Consents;
};

/** The only list of features. This function passes each feature everything that it needs from another. */
function openFeatures(deps: BackendDeps, services: WorkServices): OpenFeatures {
  const { config, db, masterKey, log, settings } = deps;
  const clock = systemClock;
  const { mail, payments, refunds, secretStore } = services;
  const acts = openActs(deps, mail.queue, { ...refunds, mail: mail.queue, secrets: secretStore });
  const approvals = openApprovals(deps, mail.queue, acts);
  const consents = openConsents(deps);
  const accounts = openAccounts(deps, mail.queue, { approvals, acts: acts.accounts, consents });
  const admins = accounts.callers;
  const lists: ListDeps = { db, clock, log, recordExport: exportRecorder(db) };
  const features: readonly Feature[] = [
    accounts.feature,
    mailFeature({
      ...{ db, clock, shared: mail.shared, siteUrl: publicBaseUrl(config) },
      look: () => mailLookOf(settings, deps.branding, publicBaseUrl(config)),
    }),
    eventTargetFeature(deps),
    ...gatewayFeatures({
      config,
      db,
      masterKey,
      log,
      clock,
      approvals,
      acts: acts.catalog,
      groupActs: acts.groups,
      cacheRules: () => cacheRules(settings.values),
    }),
    ...paymentFeatures({
      config,
      db,
      masterKey,
      log,
      clock,
      payments,
      approvals,
      acts: acts.billing,
      admins,
      isOffered: (gateway) => settings.values[`payments.${gateway}`],
      work: services.billing,
      baseUrl: publicBaseUrl(config),
    }),
    organisationFeature({
      db,
      mails: mail.queue,
      gatewayUsers,
      baseUrl: publicBaseUrl(config),
      returnsLink: returnsLinks(config),
    }),
    { name: "approvals", endpoints: approvalEndpoints(approvals) },
    ...usageFeatures({ db, clock, settlement: services.settlement }),
    { name: "offered-models", endpoints: offeredModelEndpoints(db) },
    { name: "secrets", endpoints: openSecrets(deps, { approvals, act: acts.secret, onChange: secretStore.onChange }) },
    { name: "money-check", endpoints: moneyCheckEndpoints(services.moneyCheck) },
    { name: "messages-model-map", endpoints: modelMapEndpoints(db) },
    { name: "exit-nodes", endpoints: exitNodeEndpoints(services.exitNodes) },
    { name: "admin-lists", endpoints: listEndpoints(lists, [...listPlaces, leadPlace]) },
    { name: "admin-files", endpoints: fileEndpoints(lists, [traceFilePlace, exitNodeFilePlace]) },
    { name: "analytics", endpoints: analyticsEndpoints({ db, clock }) },
    {
      name: "leads",
      endpoints: leadEndpoints({ db, clock, countSender: leadSenders(db), problemPage: contactPage(deps) }),
    },
    { name: "user-detail", endpoints: [...userDetailEndpoints(lists), ...organisationDetailEndpoints(lists)] },
    { name: "archive", endpoints: archiveEndpoints(db) },
    { name: "saved-views", endpoints: savedViewEndpoints(db) },
    { name: "setup", endpoints: setupEndpoints(setupDeps(deps, payments)) },
    { name: "route-explanation", endpoints: routeExplanationEndpoints(db) },
    {
      name: "upstream-auth",
      endpoints: upstreamAuthEndpoints({ db, masterKey, onSecretChange: secretStore.onChange }),
    },
    { name: "settings", endpoints: settingEndpoints({ settings, approvals, act: acts.setting }) },
    { name: "branding", endpoints: brandingEndpoints({ db, countConsents: (of) => countConsents(db, of) }) },
    { name: "consents", endpoints: consentEndpoints(consents) },
    openStatus(deps),
    traceFeature({
      ...{ db, masterKey, log, clock },
      rules: () => traceRules(settings.values),
      ownRules: () => ({
        isAllowed: settings.values["trace.users_read_payloads"],
        readsPerHour: settings.values["trace.own_payload_reads_per_hour"],
      }),
    }),
  ];
  return { features, accounts, consents };
}

function openStatus({ config, db, log, settings }: BackendDeps): Feature {
  return statusFeature({
    ...{ db, log, clock: systemClock },
    rules: () => statusRules(settings.values),
    models: async () => (await listModelsForNewcomers(db)).map(siteModel),
    page: () => ({ name: settings.values["brand.name"], url: `${publicBaseUrl(config)}/status/` }),
  });
}

/** Bulk actions carry operations of any feature out, for rows of any list. */
function openBulkActions({ db, log }: BackendDeps, endpoints: () => readonly AnyEndpoint[]) {
  const sources = [...listPlaces, leadPlace, exitNodeFilePlace].map(({ source }) => source);
  return { name: "bulk-actions", endpoints: bulkEndpoints({ db, clock: systemClock, log, sources, endpoints }) };
}

function openSecrets(
  { config, db, settings }: BackendDeps,
  deps: Omit<SecretEndpointDeps, "db" | "useOf">,
): AnyEndpoint[] {
  return secretEndpoints({ db, ...deps, useOf: (name) => secretUse(config, settings.values, name) });
}

/** A gateway that is not offered any more needs its secrets only for what was opened before. */
function secretUse(config: Config, values: SettingValues, name: string): "walletpay" | "cardpay" | "mail" | null {
  if (name === mailSecretOf(config)) {
    return "mail";
  }
  const gateway = (["walletpay", "cardpay"] as const).find((each) => name.startsWith(`${each}.`));
  return gateway !== undefined && values[`payments.${gateway}`] ? gateway : null;
}

/** Users accept the pages that are written here; nobody knows when one elsewhere changes. */
function openConsents({ db, settings, branding }: BackendDeps): Consents {
  return new Consents({
    db,
    shown: () => branding.legal().filter(({ page }) => settings.values[`brand.${page}_url`] === ""),
    reload: () => branding.reload(),
    brandName: () => settings.values["brand.name"],
  });
}
