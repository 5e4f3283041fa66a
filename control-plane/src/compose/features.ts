import type { UserId } from "@sluice/contracts/ids";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { Accounts } from "../accounts/accounts.ts";
import { superAdmins } from "../accounts/admins/super-admins.ts";
import { leadSenders } from "../accounts/attempts/sender-limits.ts";
import { setVerificationMail } from "../accounts/store.ts";
import { approvalFeature } from "../admin/approvals/feature.ts";
import { archiveEndpoints } from "../admin/archive/routes.ts";
import { bulkEndpoints } from "../admin/bulk/routes.ts";
import { campaignFeature } from "../admin/campaigns/feature.ts";
import { changePreviewEndpoints } from "../admin/change-preview/routes.ts";
import { leadEndpoints, leadPlace } from "../admin/leads/routes.ts";
import { listPlaces } from "../admin/lists/list-places.ts";
import { exportRecorder } from "../admin/lists/record-export.ts";
import { sortUsersJob } from "../admin/lists/sort-users.ts";
import { routeExplanationEndpoints } from "../admin/route-explanation/routes.ts";
import { savedViewEndpoints } from "../admin/saved-views/routes.ts";
import { type SecretEndpointDeps, secretEndpoints } from "../admin/secrets/routes.ts";
import { listSecrets, readSecret, SecretReader, saveSecret } from "../admin/secrets/service.ts";
import type { SettingValues } from "../admin/settings/registry.ts";
import { settingEndpoints } from "../admin/settings/routes.ts";
import { setupEndpoints } from "../admin/setup/routes.ts";
import { upstreamAuthEndpoints } from "../admin/upstream-auth/routes.ts";
import { organisationDetailEndpoints } from "../admin/user-detail/organisation-routes.ts";
import { userDetailEndpoints } from "../admin/user-detail/routes.ts";
import { descriptionEndpoints } from "../api-description/routes.ts";
import type { AppRoutes } from "../app.ts";
import { brandingEndpoints } from "../branding/routes.ts";
import { consentEndpoints } from "../consents/routes.ts";
import { Consents, countConsents } from "../consents/service.ts";
import { eventTargetFeature } from "../event-targets/feature.ts";
import { exitNodeFilePlace } from "../exit-nodes/admin-routes.ts";
import { exitNodeFeature } from "../exit-nodes/exit-nodes.ts";
import { putExitChannel, refreshExitAbilities } from "../gateway/channels/exit-channels.ts";
import { gatewayFeatures } from "../gateway/feature.ts";
import { moneyCheckFeature } from "../ledger/feature.ts";
import { buildMail, type Mail } from "../mail/mail.ts";
import type { MailQueue } from "../mail/model.ts";
import { mailFromOf, mailSecretFallbacks, mailSecretOf } from "../mail/senders/open-sender.ts";
import { modelMapEndpoints } from "../messages-compat/admin-endpoints.ts";
import { listModelsForNewcomers } from "../models/model-store.ts";
import { offeredModelEndpoints } from "../models/routes.ts";
import { siteModel } from "../models/site-model.ts";
import { peerStatusRoutes } from "../operations/peer-status.ts";
import { membershipsOf, organisationFeature } from "../organisations/feature.ts";
import type { Pages } from "../pages/service.ts";
import { paymentFeatures } from "../payments/feature.ts";
import { openPayments, paymentFallbacks } from "../payments/gateways/payment-gateways.ts";
import type { RenewalRules } from "../payments/renewals/model.ts";
import { systemClock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { AnyEndpoint } from "../platform/endpoint/model.ts";
import { addEndpoints, type EndpointDeps } from "../platform/endpoint/routes.ts";
import type { Feature } from "../platform/feature.ts";
import { fileEndpoints, type ListDeps, listEndpoints } from "../platform/list-query/endpoints.ts";
import type { Job } from "../platform/schedule-jobs.ts";
import { statusFeature } from "../status/feature.ts";
import { traceFeature } from "../trace/feature.ts";
import { traceFilePlace } from "../trace/routes.ts";
import { usageFeatures } from "../usage/feature.ts";
import { openAccounts, returnsLinks } from "./accounts.ts";
import { openActs, openApprovals } from "./approvals.ts";
import type { BackendDeps } from "./backend-deps.ts";
import { mailLookOf, mailSenderName, ownBrandName, statusRules } from "./brand.ts";
import { clientSettings } from "./client-settings.ts";
import { gatewayUsers } from "./gateway-users.ts";
import { contactPage, openPages } from "./pages.ts";
import { cacheRules, errorRule, referralRules, traceRules } from "./setting-rules.ts";
import { setupDeps } from "./setup.ts";

/** Everything under `/backend`: the features' services, wired together, with their routes and jobs. */
export type Backend = {
  readonly routes: AppRoutes["features"];
  /** The endpoints, each with who may call it. */
  readonly endpoints: readonly AnyEndpoint[];
  readonly jobs: readonly Job[];
  /** The pages for browsers at paths without an endpoint. */
  readonly pages: Pages;
  /** Starts the background work that neither a call nor a schedule triggers. Called only where jobs run. */
  readonly start: () => void;
  /** Lets work in progress finish, up to the time limit in milliseconds. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Undeclared responses are logged in development and fail a test. */
const answerChecks = { production: "none", development: "log", test: "refuse" } as const;

export function buildBackend(deps: BackendDeps): Backend {
  const { config, log } = deps;
  const { features, accounts, consents } = openFeatures(deps);
  const pages = openPages(deps, { callers: accounts.callers, consents });
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
    routes: [statusOf(deps), (app) => addEndpoints(app, declared, endpointDeps)],
    endpoints: declared,
    jobs: features.flatMap(({ jobs = [] }) => jobs),
    pages,
    start: () => {
      for (const { start } of features) {
        start?.();
      }
    },
    stop: async (timeoutMs) => {
      await Promise.all(features.map(({ stop }) => stop?.(timeoutMs)));
    },
  };
}

type OpenFeatures = {
  readonly features: readonly Feature[];
  readonly accounts: Accounts;
  readonly consents: Consents;
};

/** The only list of features. This function passes each feature everything that it needs from another. */
function openFeatures(deps: BackendDeps): OpenFeatures {
  const { config, db, masterKey, log, registry, settings } = deps;
  const clock = systemClock;
  const fallbacks = { ...paymentFallbacks(config, masterKey), ...mailSecretFallbacks(config) };
  const secrets = new SecretReader({ db, masterKey, clock, fallbacks });
  const onSecretChange = () => secrets.forget();
  // These secrets of the gateways and the mail service take two people: anyone who knows them could forge payments and
  // read links.
  const secretStore = { ofTwo: new Set(Object.keys(fallbacks)), onChange: onSecretChange };
  const mail = openMail(deps, secrets);
  const payments = openPayments({ config, secrets, http: new PooledHttpClient(), clock });
  const refunds = { db, log, gateways: { walletpay: payments.wallet, cardpay: payments.card } };
  const acts = openActs(deps, mail.queue, { ...refunds, mail: mail.queue, secrets: secretStore });
  const approvals = openApprovals(deps, mail.queue, acts);
  const consents = openConsents(deps);
  const accounts = openAccounts(deps, mail.queue, { approvals, acts: acts.accounts, consents });
  const admins = accounts.callers;
  const lists: ListDeps = { db, clock, log, recordExport: exportRecorder(db) };
  const features: readonly Feature[] = [
    accounts.feature,
    mail.feature,
    openEventTargets(deps, mail.queue),
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
      mails: mail.queue,
      payments,
      refunds,
      approvals,
      acts: acts.billing,
      admins,
      isOffered: (gateway) => settings.values[`payments.${gateway}`],
      renewalRules: renewalRules(deps),
      referralRules: () => referralRules(settings.values),
      baseUrl: publicBaseUrl(config),
    }),
    organisationFeature({
      db,
      mails: mail.queue,
      gatewayUsers,
      baseUrl: publicBaseUrl(config),
      returnsLink: returnsLinks(config),
    }),
    approvalFeature(approvals),
    ...usageFeatures({
      ...{ db, clock, log, registry },
      errorRule: () => errorRule(settings.values),
      labelDays: () => settings.values["trace.metadata_retention_days"],
    }),
    { name: "offered-models", endpoints: offeredModelEndpoints(db) },
    { name: "secrets", endpoints: openSecrets(deps, { approvals, act: acts.secret, onChange: onSecretChange }) },
    moneyCheckFeature({ db, log, registry }),
    { name: "messages-model-map", endpoints: modelMapEndpoints(db) },
    openExitNodes(deps),
    { name: "admin-lists", endpoints: listEndpoints(lists, [...listPlaces, leadPlace]), jobs: [sortUsersJob] },
    { name: "admin-files", endpoints: fileEndpoints(lists, [traceFilePlace, exitNodeFilePlace]) },
    campaignFeature({ db, clock, retentionDays: () => settings.values["analytics.retention_days"] }),
    {
      name: "leads",
      endpoints: leadEndpoints({ db, clock, countSender: leadSenders(db), problemPage: contactPage(deps) }),
    },
    { name: "user-detail", endpoints: [...userDetailEndpoints(lists), ...organisationDetailEndpoints(lists)] },
    { name: "archive", endpoints: archiveEndpoints(db) },
    { name: "saved-views", endpoints: savedViewEndpoints(db) },
    { name: "setup", endpoints: setupEndpoints(setupDeps(deps, payments)) },
    { name: "route-explanation", endpoints: routeExplanationEndpoints(db) },
    { name: "upstream-auth", endpoints: upstreamAuthEndpoints({ db, masterKey, onSecretChange }) },
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

function renewalRules({ config, settings }: BackendDeps): Omit<RenewalRules, "isOffered"> {
  return {
    graceDays: () => settings.values["payments.renewal_grace_days"],
    noticeDays: () => settings.values["payments.price_notice_days"],
    billingUrl: `${publicBaseUrl(config)}/console/billing/`,
  };
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

function openExitNodes({ config, db, masterKey, log, registry, upstreamCa }: BackendDeps): Feature {
  return exitNodeFeature({
    config,
    db,
    log,
    registry,
    clock: systemClock,
    http: new PooledHttpClient(upstreamCa === null ? {} : { tlsCa: upstreamCa }),
    // Exit nodes know nothing of the gateway except their channels.
    channels: {
      put: (tx, channel) => putExitChannel(tx, masterKey, channel),
      alignAbilities: refreshExitAbilities,
    },
    keys: {
      read: (name, tx) => readSecret(tx ?? db, masterKey, name),
      save: async (tx, name, value) => {
        await saveSecret(tx, masterKey, name, value);
      },
      names: async () => (await listSecrets(db)).map(({ name }) => name),
    },
  });
}

function openEventTargets(deps: BackendDeps, mails: MailQueue): Feature {
  const { config } = deps;
  return eventTargetFeature({
    ...deps,
    mails,
    admins: superAdmins,
    baseUrl: publicBaseUrl(config),
    service: () => ownBrandName(deps.settings) ?? mailFromOf(config).name,
  });
}

function statusOf({ config, settings }: BackendDeps) {
  const address = config.PUBLIC_BASE_URL ?? null;
  return peerStatusRoutes(() => ({ name: settings.values["brand.name"], address }), new Date(systemClock.now()));
}

function openMail(deps: BackendDeps, secrets: SecretReader): Mail {
  return buildMail({
    ...deps,
    clock: systemClock,
    readSecret: (name) => secrets.read(name),
    brandName: () => ownBrandName(deps.settings),
    senderName: () => mailSenderName(deps.settings),
    look: () => mailLookOf(deps.settings, deps.branding, publicBaseUrl(deps.config)),
    // Accounts know mail, but mail does not know accounts.
    onOutcome: async (tx, { template, userId, at, error }) => {
      if (template === "email_verify" && userId !== null) {
        await setVerificationMail(tx, userId as UserId, { at, error });
      }
    },
  });
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
