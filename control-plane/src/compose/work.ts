import type { UserId } from "@sluice/contracts/ids";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { superAdmins } from "../accounts/admins/super-admins.ts";
import { setVerificationMail } from "../accounts/store.ts";
import { accountWork } from "../accounts/work.ts";
import { approvalWork } from "../admin/approvals/work.ts";
import { campaignWork } from "../admin/campaigns/work.ts";
import { sortUsersJob } from "../admin/lists/sort-users.ts";
import type { SaveSecretDeps } from "../admin/secrets/save-secret.ts";
import { listSecrets, readSecret, SecretReader, saveSecret } from "../admin/secrets/service.ts";
import { eventTargetWork } from "../event-targets/work.ts";
import { openExitNodes } from "../exit-nodes/exit-nodes.ts";
import type { ExitNodes } from "../exit-nodes/service.ts";
import { putExitChannel, refreshExitAbilities } from "../gateway/channels/exit-channels.ts";
import { gatewayWork } from "../gateway/work.ts";
import type { MoneyCheck } from "../ledger/money-check.ts";
import { moneyCheckWork } from "../ledger/work.ts";
import { buildMail, type Mail } from "../mail/mail.ts";
import { mailFromOf, mailSecretFallbacks } from "../mail/senders/open-sender.ts";
import { openPayments, type Payments, paymentFallbacks } from "../payments/gateways/payment-gateways.ts";
import type { RefundDeps } from "../payments/port.ts";
import type { RenewalRules } from "../payments/renewals/model.ts";
import { type PaymentWork, paymentWork } from "../payments/work.ts";
import { systemClock } from "../platform/clock.ts";
import { publicBaseUrl } from "../platform/config.ts";
import type { Work } from "../platform/feature.ts";
import { statusWork } from "../status/work.ts";
import { traceWork } from "../trace/work.ts";
import type { UsageSettlement } from "../usage/settlement/usage-settlement.ts";
import { usageWork } from "../usage/work.ts";
import type { BackendDeps } from "./backend-deps.ts";
import { mailLookOf, mailSenderName, ownBrandName } from "./brand.ts";
import { gatewayUsers } from "./gateway-users.ts";
import { errorRule, referralRules, traceRules } from "./setting-rules.ts";

/** What jobs and endpoints have in common, so that both see what the other has changed. */
export type WorkServices = {
  readonly mail: Mail;
  readonly payments: Payments;
  readonly refunds: RefundDeps;
  readonly billing: PaymentWork;
  readonly settlement: UsageSettlement;
  readonly moneyCheck: MoneyCheck;
  readonly exitNodes: ExitNodes;
  /** Which secrets take two people, and whom to notify of a change. */
  readonly secretStore: Pick<SaveSecretDeps, "ofTwo" | "onChange">;
};

/** The work of all features, which goes on without requests. */
export type AllWork = Required<Work> & { readonly services: WorkServices };

/** The only list of work. @throws ConfigError */
export function buildWork(deps: BackendDeps): AllWork {
  const { config, db, masterKey, log, registry, settings } = deps;
  const clock = systemClock;
  const fallbacks = { ...paymentFallbacks(config, masterKey), ...mailSecretFallbacks(config) };
  const secrets = new SecretReader({ db, masterKey, clock, fallbacks });
  const mail = openMail(deps, secrets);
  const mails = mail.queue;
  const payments = openPayments({ config, secrets, http: new PooledHttpClient(), clock });
  const refunds = { db, log, gateways: { walletpay: payments.wallet, cardpay: payments.card } };
  const billing = paymentWork({
    ...{ db, masterKey, log, mails, payments, refunds },
    isCardOffered: () => settings.values["payments.cardpay"],
    renewalRules: renewalRules(deps),
    referralRules: () => referralRules(settings.values),
  });
  const usage = usageWork({
    ...{ db, clock, log, registry },
    errorRule: () => errorRule(settings.values),
    labelDays: () => settings.values["trace.metadata_retention_days"],
  });
  const money = moneyCheckWork({ db, log, registry });
  const exitNodes = exitNodesOf(deps);
  const all: readonly Work[] = [
    accountWork({ mails, masterKey, gatewayUsers, baseUrl: publicBaseUrl(config) }),
    mail.work,
    eventTargetWork({
      ...deps,
      mails,
      admins: superAdmins,
      baseUrl: publicBaseUrl(config),
      service: () => ownBrandName(settings) ?? mailFromOf(config).name,
    }),
    gatewayWork({ config, db, masterKey, log, clock }),
    billing,
    approvalWork,
    usage,
    money,
    exitNodes,
    { jobs: [sortUsersJob] },
    campaignWork(() => settings.values["analytics.retention_days"]),
    statusWork,
    traceWork({ db, log, rules: () => traceRules(settings.values) }),
  ];
  return {
    services: {
      ...{ mail, payments, refunds, billing },
      settlement: usage.settlement,
      moneyCheck: money.check,
      exitNodes: exitNodes.nodes,
      // These secrets of the gateways and the mail service take two people: anyone who knows them could forge payments
      // and read links.
      secretStore: { ofTwo: new Set(Object.keys(fallbacks)), onChange: () => secrets.forget() },
    },
    jobs: all.flatMap(({ jobs }) => jobs),
    start: () => {
      for (const { start } of all) {
        start?.();
      }
    },
    stop: async (timeoutMs) => {
      await Promise.all(all.map(({ stop }) => stop?.(timeoutMs)));
    },
  };
}

function renewalRules({ config, settings }: BackendDeps): Omit<RenewalRules, "isOffered"> {
  return {
    graceDays: () => settings.values["payments.renewal_grace_days"],
    noticeDays: () => settings.values["payments.price_notice_days"],
    billingUrl: `${publicBaseUrl(config)}/console/billing/`,
  };
}

function exitNodesOf({ config, db, masterKey, log, registry, upstreamCa }: BackendDeps) {
  return openExitNodes({
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
