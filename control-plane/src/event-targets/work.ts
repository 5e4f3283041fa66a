import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { SuperAdmins } from "../admin/approvals/port.ts";
import { eventChannel } from "../events/model.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { DeliveryWorker } from "./delivery/worker.ts";
import { openTargetGuards } from "./target-guards.ts";

export type EventTargetWorkDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly mails: MailQueue;
  readonly admins: SuperAdmins;
  readonly baseUrl: string;
  /** The name of the service in messages to people. */
  readonly service: () => string;
};

/** Delivers webhooks of customers and operators, and messages to operators by mail and chat. */
export function eventTargetWork(deps: EventTargetWorkDeps): Work {
  const { config, notifications } = deps;
  const { customers, operators } = openTargetGuards(config);
  const worker = new DeliveryWorker({
    ...deps,
    clients: {
      customers: new PooledHttpClient({ guard: customers.guard }),
      operators: new PooledHttpClient({ guard: operators.guard }),
    },
  });
  return {
    jobs: [
      // Retries what is due, and finds what a lost notification announced.
      { name: "events", pattern: "*/5 * * * * *", run: () => worker.runDue(), isPerReplica: true },
      { name: "old-events", pattern: "35 37 * * * *", run: () => worker.deleteOld() },
    ],
    // Wakes the worker whenever any process commits an event.
    start: () => {
      notifications.listen(eventChannel, () => worker.wake());
      notifications.onGap(() => worker.wake());
      worker.wake();
    },
    stop: (timeoutMs) => worker.stop(timeoutMs),
  };
}
