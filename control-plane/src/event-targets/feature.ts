import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { ServerGuard } from "@sluice/http-client/server-guard";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import type { SuperAdmins } from "../admin/approvals/port.ts";
import { eventChannel } from "../events/model.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { DeliveryWorker } from "./delivery/worker.ts";
import { eventTargetEndpoints } from "./routes.ts";
import { EventTargets } from "./service.ts";

export type EventTargetFeatureDeps = {
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

/** Webhooks of customers and operators, and messages to operators by mail and chat. */
export function eventTargetFeature(deps: EventTargetFeatureDeps): Feature {
  const { config, db, masterKey, notifications } = deps;
  const isPrivateAllowed = config.WEBHOOK_PRIVATE_ALLOWED ?? config.NODE_ENV !== "production";
  const guards = {
    customers: new ServerGuard({ isAllowed: serverAddressRule(isPrivateAllowed) }),
    // Only super-admins with a fresh login name these, and their receivers are often in a private network.
    operators: new ServerGuard({ isAllowed: serverAddressRule(true) }),
  };
  const worker = new DeliveryWorker({
    ...deps,
    clients: {
      customers: new PooledHttpClient({ guard: guards.customers }),
      operators: new PooledHttpClient({ guard: guards.operators }),
    },
  });
  const targets = new EventTargets({
    db,
    masterKey,
    customers: { guard: guards.customers, isPlainAllowed: isPrivateAllowed },
  });
  return {
    name: "events",
    endpoints: eventTargetEndpoints(targets),
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
