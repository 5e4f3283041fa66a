import { readFile } from "node:fs/promises";
import type { UserId } from "@sluice/contracts/ids";
import type { AnyElysia } from "elysia";
import type { Registry } from "prom-client";
import { type Accounts, type AccountsParts, buildAccounts } from "./accounts/accounts.ts";
import { guestOrders, leadSenders } from "./accounts/service.ts";
import { setVerificationMail } from "./accounts/store.ts";
import { approvalEndpoints } from "./admin/approvals/routes.ts";
import { analyticsEndpoints } from "./admin/campaigns/routes.ts";
import { forgetOldEvents, recordPayments } from "./admin/campaigns/service.ts";
import { leadEndpoints, leadPlace } from "./admin/leads/routes.ts";
import { listPlaces } from "./admin/lists/list-places.ts";
import { exportRecorder } from "./admin/lists/record-export.ts";
import { routeExplanationEndpoints } from "./admin/route-explanation/routes.ts";
import { secretEndpoints } from "./admin/secrets/routes.ts";
import { listSecrets, readSecret, SecretReader, saveSecret } from "./admin/secrets/service.ts";
import type { SettingValues } from "./admin/settings/registry.ts";
import { settingEndpoints } from "./admin/settings/routes.ts";
import type { Settings } from "./admin/settings/service.ts";
import { upstreamAuthEndpoints } from "./admin/upstream-auth/routes.ts";
import { userDetailEndpoints } from "./admin/user-detail/routes.ts";
import { descriptionEndpoints } from "./api-description/routes.ts";
import { openActs, openApprovals } from "./deps-approvals.ts";
import { exitNodeEndpoints, exitNodeFilePlace } from "./exit-nodes/admin-routes.ts";
import { buildExitNodes } from "./exit-nodes/exit-nodes.ts";
import type { ExitNodes } from "./exit-nodes/service.ts";
import { type CatalogAdminParts, catalogAdminEndpoints } from "./gateway/catalog-admin/routes.ts";
import { ChannelTests } from "./gateway/catalog-admin/test-channel.ts";
import { keyEndpoints } from "./gateway/keys/routes.ts";
import { KeyService } from "./gateway/keys/service.ts";
import {
  addGatewayUser,
  changeGatewayUser,
  openChannelCredential,
  putExitChannel,
  refreshExitAbilities,
  sealChannelCredential,
} from "./gateway/service.ts";
import { MoneyCheck } from "./ledger/money-check.ts";
import { moneyCheckEndpoints } from "./ledger/routes.ts";
import { buildMail, type Mail } from "./mail/mail.ts";
import type { MailQueue } from "./mail/model.ts";
import { mailSecretFallbacks } from "./mail/senders/open-sender.ts";
import { modelMapEndpoints } from "./messages-compat/admin-endpoints.ts";
import { listModelMap } from "./messages-compat/service.ts";
import { listSoldModels } from "./models/model-store.ts";
import { offeredModelEndpoints } from "./models/routes.ts";
import { siteModel } from "./models/site-model.ts";
import {
  adminLoginPage,
  contactProblemPage,
  loginPage,
  registerPage,
  resetPage,
  sentPage,
  verifyPage,
} from "./pages/account-pages.ts";
import { Pages } from "./pages/service.ts";
import type { WebBuild } from "./pages/web-build.ts";
import { billingAdminEndpoints } from "./payments/admin/admin-routes.ts";
import { planEntry } from "./payments/answers.ts";
import { CheckoutService } from "./payments/checkout/checkout.ts";
import { checkoutEndpoints } from "./payments/checkout/routes.ts";
import { openPayments, paymentFallbacks } from "./payments/gateways/payment-gateways.ts";
import { checkoutAdminEndpoints } from "./payments/notices/admin-routes.ts";
import { GatewayNotices } from "./payments/notices/notices.ts";
import { expireOverdueOrders } from "./payments/orders/orders.ts";
import { selectActivePlans } from "./payments/plans/plan-store.ts";
import { payWaitingRefunds } from "./payments/refunds/refunds.ts";
import { billingEndpoints } from "./payments/routes.ts";
import { creditPaidOrders, creditWaitingOwners } from "./payments/settle/credit-waiting.ts";
import { endOverdueSubscriptions } from "./payments/subscriptions/subscriptions.ts";
import { isPrivateUpstreamAllowed, openUpstreamGuard } from "./platform/address-guard.ts";
import { systemClock } from "./platform/clock.ts";
import { type Config, publicBaseUrl } from "./platform/config.ts";
import type { MasterKey } from "./platform/crypto/master-key.ts";
import type { Database } from "./platform/db.ts";
import type { Notifications } from "./platform/db-notifications.ts";
import type { AnyEndpoint } from "./platform/endpoint/model.ts";
import { type EndpointParts, endpointRoutes } from "./platform/endpoint/routes.ts";
import { FetchHttpClient } from "./platform/http-client/fetch-client.ts";
import { PooledHttpClient } from "./platform/http-client/pooled-client.ts";
import { fileEndpoints, type ListParts, listEndpoints } from "./platform/list-query/endpoints.ts";
import type { Log } from "./platform/log.ts";
import type { Job } from "./platform/schedule-jobs.ts";
import type { TraceRules } from "./trace/model.ts";
import { PayloadReading } from "./trace/payload-reading.ts";
import { TraceRetention } from "./trace/retention.ts";
import { traceEndpoints, traceFilePlace } from "./trace/routes.ts";
import { TraceSearching } from "./trace/search.ts";
import { reportEndpoints } from "./usage/reports/routes.ts";
import { rollUsageUp } from "./usage/rollup/roll-up.ts";
import { settlementEndpoints } from "./usage/settlement/routes.ts";
import { UsageSettlement } from "./usage/settlement/usage-settlement.ts";
import { usageEndpoints } from "./usage/views/routes.ts";
import { UsageViews } from "./usage/views/usage-views.ts";

export type BackendParts = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly upstreamCa: string | null;
  /** Null where no web is built or served. */
  readonly webBuild: WebBuild | null;
};

/** Everything behind `/backend`: the services of the features, put together, with their routes and their jobs. */
export type Backend = {
  readonly routes: readonly AnyElysia[];
  /** What the routes answer, with who may call it. */
  readonly endpoints: readonly AnyEndpoint[];
  readonly jobs: readonly Job[];
  /** What browsers are shown at addresses without an endpoint. */
  readonly pages: Pages;
  /** Begins what does not wait for a call or a time; where the jobs run. */
  readonly start: () => void;
  /** Lets what is in hand end, up to the time limit in milliseconds. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** A developer is told of an answer that is not as declared, a test fails by it. */
const answerChecks = { production: "none", development: "log", test: "refuse" } as const;

export function buildBackend(parts: BackendParts): Backend {
  const { config, db, masterKey, log, registry } = parts;
  const edge = { header: config.CLIENT_IP_HEADER ?? null, addresses: config.EDGE_ADDRESSES };
  const fallbacks = { ...paymentFallbacks(config, masterKey), ...mailSecretFallbacks(config) };
  const secrets = new SecretReader({ db, masterKey, clock: systemClock, fallbacks });
  // By what the gateways and the mail service take, payments are forged and links are read.
  const secretStore = { ofTwo: new Set(Object.keys(fallbacks)), onChange: () => secrets.forget() };
  const mail = openMail(parts, secrets);
  const billing = { db, log, mail: mail.queue };
  const payments = openPayments({ config, secrets, http: new FetchHttpClient(), clock: systemClock });
  const refunds = { db, log, gateways: { walletpay: payments.wallet, cardpay: payments.card } };
  const acts = openActs(parts, mail.queue, { ...billing, ...refunds, secrets: secretStore });
  const approvals = openApprovals(parts, mail.queue, acts);
  const accounts = openAccounts(parts, mail.queue, { approvals, acts: acts.accounts });
  const endpoints: EndpointParts = { callers: accounts.callers, edge, log, answerCheck: answerChecks[config.NODE_ENV] };
  // The configuration refuses it in production.
  const isMockOffered = config.NODE_ENV === "development" || config.PAYMENT_MOCK;
  const checkout = {
    checkout: new CheckoutService(billing, payments, { isPlay: config.NODE_ENV !== "production" }),
    notices: new GatewayNotices(billing, payments),
    guests: guestOrders(db),
    isMockOffered,
  };
  const settlement = new UsageSettlement({ db, clock: systemClock, log, registry });
  const lists: ListParts = { db, clock: systemClock, log, recordExport: exportRecorder(db) };
  const moneyCheck = new MoneyCheck({ db, log, registry });
  const trace = openTraceViews(parts);
  const exitNodes = openExitNodes(parts);
  const features: Readonly<Record<string, readonly AnyEndpoint[]>> = {
    accounts: accounts.endpoints,
    mail: mail.endpoints,
    keys: keyEndpoints(new KeyService(db)),
    billing: billingEndpoints({ ...billing, isMockOffered, guests: guestOrders(db), admins: accounts.callers }),
    "billing-admin": billingAdminEndpoints({ db, approvals, acts: acts.billing }),
    approvals: approvalEndpoints(approvals),
    checkout: checkoutEndpoints(checkout),
    "checkout-admin": checkoutAdminEndpoints({ db, clock: systemClock, notices: checkout.notices }),
    usage: usageEndpoints(new UsageViews(db, systemClock)),
    "offered-models": offeredModelEndpoints(db),
    secrets: secretEndpoints({ db, approvals, act: acts.secret }),
    "usage-settlement": settlementEndpoints({ db, settlement }),
    "money-check": moneyCheckEndpoints(moneyCheck),
    "messages-model-map": modelMapEndpoints(db),
    "exit-nodes": exitNodeEndpoints(exitNodes),
    "admin-lists": listEndpoints(lists, [...listPlaces, leadPlace]),
    "admin-files": fileEndpoints(lists, [traceFilePlace, exitNodeFilePlace]),
    analytics: analyticsEndpoints({ db, clock: systemClock }),
    leads: leadEndpoints({
      db,
      clock: systemClock,
      countSender: leadSenders(db),
      problemPage: (state, status) => contactProblemPage(state, status, parts.webBuild?.forms ?? null),
    }),
    reports: reportEndpoints({ db, clock: systemClock }),
    "user-detail": userDetailEndpoints(lists),
    "catalog-admin": catalogAdminEndpoints({ ...catalogAdminParts(parts), approvals, acts: acts.catalog }),
    "route-explanation": routeExplanationEndpoints(db),
    "upstream-auth": upstreamAuthEndpoints({ db, masterKey, onSecretChange: () => secrets.forget() }),
    "api-description": descriptionEndpoints(() => groups),
    settings: settingEndpoints({ settings: parts.settings, approvals, act: acts.setting }),
    trace: trace.endpoints,
  };
  const forgetEvents = (database: Database) =>
    forgetOldEvents(database, parts.settings.values["analytics.retention_days"]);
  const groups = Object.entries(features).map(([name, each]) => ({ name, endpoints: each }));
  const routes = Object.entries(features).map(([name, each]) => endpointRoutes(name, each, endpoints));
  const jobs: Job[] = [
    { name: "clean-up-accounts", pattern: "0 17 * * * *", run: accounts.cleanUp },
    { name: "campaign-payments", pattern: "5 * * * * *", run: recordPayments },
    { name: "clean-up-approvals", pattern: "0 29 * * * *", run: (database) => approvals.cleanUp(database) },
    { name: "expire-orders", pattern: "10 * * * * *", run: (database) => expireOverdueOrders(database) },
    { name: "credit-waiting-owners", pattern: "30 * * * * *", run: creditWaitingOwners },
    { name: "end-subscriptions", pattern: "20 * * * * *", run: (database) => endOverdueSubscriptions(database) },
    { name: "pay-refunds", pattern: "40 * * * * *", run: () => payWaitingRefunds(refunds) },
    // For retries, and for what a message about a new mail did not reach.
    { name: "mail", pattern: "*/15 * * * * *", run: mail.deliver, isPerReplica: true },
    { name: "quota-low", pattern: "20 */5 * * * *", run: mail.tellLowQuota },
    { name: "dead-mails", pattern: "40 23 * * * *", run: mail.forgetDead },
    { name: "exit-node-checks", pattern: "*/5 * * * * *", run: () => exitNodes.runChecks() },
    { name: "exit-node-gauges", pattern: "3/10 * * * * *", run: () => exitNodes.measure(), isPerReplica: true },
    { name: "exit-node-traffic", pattern: "0 53 * * * *", run: () => exitNodes.foldTraffic() },
    { name: "old-mails", pattern: "25 51 * * * *", run: mail.deleteOld },
    { name: "money-check", pattern: "0 41 3 * * *", run: () => moneyCheck.runJob(), isPerReplica: true },
    { name: "trace-retention", pattern: "50 */10 * * * *", run: () => trace.retention.run() },
    { name: "payload-count", pattern: "45 * * * * *", run: () => trace.retention.count() },
    // Behind the settlement, whose batches it adds up.
    { name: "usage-rollup", pattern: "15 * * * * *", run: (database) => rollUsageUp(database, systemClock) },
    { name: "old-campaign-events", pattern: "5 33 * * * *", run: (database) => forgetEvents(database) },
    // Runs that meet are kept apart by the lock on the checkpoint; each replica measures the lag for its own gauge.
    { name: "usage-settlement", pattern: "10 * * * * *", run: () => settlement.runJob(), isPerReplica: true },
  ];
  const pages = openPages(parts, accounts);
  const all = Object.values(features).flat();
  return { routes, endpoints: all, jobs, pages, start: mail.start, stop: mail.stop };
}

function catalogAdminParts({
  config,
  db,
  masterKey,
  log,
}: BackendParts): Omit<CatalogAdminParts, "approvals" | "acts"> {
  const guard = openUpstreamGuard(config, log);
  const openClient = async (): Promise<PooledHttpClient> => {
    const { UPSTREAM_CA_FILE: caFile } = config;
    return new PooledHttpClient({ guard, ...(caFile === undefined ? {} : { tlsCa: await readFile(caFile, "utf8") }) });
  };
  return {
    db,
    sealCredential: (id, credential) => sealChannelCredential(masterKey, id, credential),
    // Where private addresses are allowed a name says nothing, and may come to life later.
    guard: isPrivateUpstreamAllowed(config) ? null : guard,
    tests: new ChannelTests({
      db,
      clock: systemClock,
      openClient,
      openCredential: (id, sealed) => openChannelCredential(masterKey, id, sealed),
    }),
  };
}

function openExitNodes({ config, db, masterKey, log, registry, upstreamCa }: BackendParts): ExitNodes {
  return buildExitNodes({
    config,
    db,
    log,
    registry,
    clock: systemClock,
    http: new PooledHttpClient(upstreamCa === null ? {} : { tlsCa: upstreamCa }),
    // Nodes know no gateway; all that they need of it are their channels.
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

function openMail(parts: BackendParts, secrets: SecretReader): Mail {
  return buildMail({
    ...parts,
    clock: systemClock,
    readSecret: (name) => secrets.read(name),
    // Accounts know mail, and mail knows no accounts.
    onOutcome: async (tx, { template, userId, at, error }) => {
      if (template === "email_verify" && userId !== null) {
        await setVerificationMail(tx, userId as UserId, { at, error });
      }
    },
  });
}

function openTraceViews({ db, masterKey, log, settings }: BackendParts) {
  const rules = () => traceRules(settings.values);
  const parts = { db, masterKey, log, rules, clock: systemClock };
  const search = new TraceSearching(parts);
  const reading = new PayloadReading(parts);
  return { endpoints: traceEndpoints({ db, search, reading }), retention: new TraceRetention(parts) };
}

function traceRules(values: SettingValues): TraceRules {
  return {
    payloadRetentionDays: values["trace.payload_retention_days"],
    metadataRetentionDays: values["trace.metadata_retention_days"],
    readsPerHour: values["trace.payload_reads_per_hour"],
  };
}

function openPages({ config, db, log, notifications, webBuild }: BackendParts, { callers }: Accounts): Pages {
  const origin = publicBaseUrl(config);
  const supportWidgetUrl = config.SUPPORT_WIDGET_URL ?? null;
  const pages = new Pages({
    build: webBuild,
    callers,
    readCatalogue: async () => ({
      origin,
      plans: (await selectActivePlans(db)).map((plan) => ({ ...planEntry(plan), quota: plan.quota.toString() })),
      models: (await listSoldModels(db)).map(siteModel),
      messages_models: (await listModelMap(db)).filter(({ isEnabled }) => isEnabled).map(({ name }) => name),
      support_widget_url: supportWidgetUrl,
    }),
    supportWidgetUrl,
    dataDirectory: config.DATA_DIR,
    isDevelopment: config.NODE_ENV === "development",
    log,
  });
  notifications.listen("catalog_changed", () => pages.refresh());
  return pages;
}

function openAccounts(
  { config, db, masterKey, webBuild, settings }: BackendParts,
  mails: MailQueue,
  agreed: Pick<AccountsParts, "approvals" | "acts">,
): Accounts {
  const forms = webBuild?.forms ?? null;
  return buildAccounts({
    ...agreed,
    db,
    masterKey,
    clock: systemClock,
    mails,
    gatewayUsers: {
      create: async (tx) =>
        (await addGatewayUser(tx, "default", { amount: 0n, changeType: "registration" })).gatewayUserId,
      change: changeGatewayUser,
    },
    onVerified: creditPaidOrders,
    pages: {
      login: (state, status) => loginPage(state, status, forms),
      register: (state, status) => registerPage(state, status, forms),
      sent: (state) => sentPage(state, forms),
      verify: (state, status) => verifyPage(state, status, forms),
      reset: (state, status) => resetPage(state, status, forms),
      adminLogin: (state, status) => adminLoginPage(state, status, forms),
    },
    baseUrl: publicBaseUrl(config),
    returnsVerificationLink: config.REGISTRATION_RETURNS_VERIFICATION_URL ?? config.NODE_ENV !== "production",
    isDevelopment: config.NODE_ENV === "development",
    adminRules: () => ({
      freshLoginMinutes: settings.values["admin.fresh_login_minutes"],
      isSecondFactorRequired: settings.values["admin.second_factor_required"],
    }),
    limits: () => ({
      logins: settings.values["accounts.logins_per_address"],
      adminLogins: settings.values["accounts.admin_logins_per_address"],
      registrations: settings.values["accounts.registrations_per_address"],
      mails: settings.values["accounts.mails_per_address"],
    }),
  });
}
