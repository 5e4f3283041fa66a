import type { Clock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { MailWorker } from "./delivery/worker.ts";
import type { MailHook, MailLook } from "./model.ts";
import { mailLowQuota } from "./quota-low/mail-low-quota.ts";
import { mailFromOf, openMailSender } from "./senders/open-sender.ts";
import { MailService, mailChannel } from "./service.ts";
import type { SharedValues } from "./templates/show-values.ts";

export type MailDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly readSecret: (name: string) => Promise<string | null>;
  readonly onOutcome: MailHook;
  /** The name of the service that an admin has set; null if none has. */
  readonly brandName: () => string | null;
  /** The name that mails come from, as an admin has set it; null for that of the configuration. */
  readonly senderName: () => string | null;
  readonly look: () => MailLook;
};

export type Mail = {
  /** Where the other features queue their emails. */
  readonly queue: MailService;
  /** What every e-mail can name. */
  readonly shared: SharedValues;
  readonly work: Work;
};

/**
 * Wires up the feature.
 * @throws ConfigError
 */
export function buildMail(deps: MailDeps): Mail {
  const { config, clock, notifications, brandName } = deps;
  const from = mailFromOf(config);
  const siteUrl = publicBaseUrl(config);
  const shared: SharedValues = {
    get service() {
      return brandName() ?? from.name;
    },
    console_link: `${siteUrl}/console/`,
  };
  const queue = new MailService(deps);
  const worker = new MailWorker({
    ...deps,
    shared,
    sender: openMailSender(deps),
    messageIdDomain: from.address.slice(from.address.indexOf("@") + 1),
    concurrency: config.MAIL_CONCURRENCY,
  });
  return {
    queue,
    shared,
    work: {
      jobs: [
        // The job retries failed emails, and finds new ones whose notification was lost.
        { name: "mail", pattern: "*/15 * * * * *", run: () => worker.runDue(), isPerReplica: true },
        { name: "quota-low", pattern: "20 */5 * * * *", run: (each) => mailLowQuota(each, { mail: queue, clock }) },
        { name: "dead-mails", pattern: "40 23 * * * *", run: () => worker.forgetDead() },
        { name: "old-mails", pattern: "25 51 * * * *", run: () => worker.deleteOld() },
      ],
      // Wakes the worker whenever any process commits an email.
      start: () => {
        notifications.listen(mailChannel, () => worker.wake());
        notifications.onGap(() => worker.wake());
        worker.wake();
      },
      stop: (timeoutMs) => worker.stop(timeoutMs),
    },
  };
}
