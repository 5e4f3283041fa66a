import type { Clock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { AnyEndpoint } from "../platform/endpoint/model.ts";
import type { Log } from "../platform/log.ts";
import { MailWorker } from "./delivery/worker.ts";
import { inboxEndpoints } from "./inbox/routes.ts";
import { mailLogEndpoints } from "./log/routes.ts";
import type { MailHook } from "./model.ts";
import { tellLowQuota } from "./quota-low/tell-low-quota.ts";
import { mailFromOf, openMailSender } from "./senders/open-sender.ts";
import { MailService, mailChannel } from "./service.ts";
import { templateEndpoints } from "./templates/routes.ts";
import type { SharedValues } from "./templates/show-values.ts";

export type MailParts = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly readSecret: (name: string) => Promise<string | null>;
  readonly onOutcome: MailHook;
};

export type Mail = {
  /** Where the other features leave their mails. */
  readonly queue: MailService;
  readonly endpoints: readonly AnyEndpoint[];
  /** Sends what is due; each process for itself. */
  readonly deliver: () => Promise<void>;
  readonly tellLowQuota: (db: Database) => Promise<number>;
  readonly forgetDead: () => Promise<number>;
  readonly deleteOld: () => Promise<number>;
  /** Sends from now on as soon as a mail is committed anywhere. */
  readonly start: () => void;
  /** Lets the mails in hand end, up to the time limit in milliseconds. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/**
 * The feature, put together.
 * @throws ConfigError
 */
export function buildMail(parts: MailParts): Mail {
  const { config, db, clock, notifications } = parts;
  const from = mailFromOf(config);
  const siteUrl = publicBaseUrl(config);
  const shared: SharedValues = { service: from.name, console_link: `${siteUrl}/console/` };
  const queue = new MailService(parts);
  const worker = new MailWorker({
    ...parts,
    shared,
    sender: openMailSender(parts),
    messageIdDomain: from.address.slice(from.address.indexOf("@") + 1),
    concurrency: config.MAIL_CONCURRENCY,
  });
  return {
    queue,
    endpoints: [
      ...mailLogEndpoints({ db, clock }),
      ...templateEndpoints({ db, shared, siteUrl }),
      ...inboxEndpoints({ db, clock }),
    ],
    deliver: () => worker.runDue(),
    tellLowQuota: (database) => tellLowQuota(database, { mail: queue, clock }),
    forgetDead: () => worker.forgetDead(),
    deleteOld: () => worker.deleteOld(),
    start: () => {
      notifications.listen(mailChannel, () => worker.poke());
      notifications.onGap(() => worker.poke());
      worker.poke();
    },
    stop: (timeoutMs) => worker.stop(timeoutMs),
  };
}
