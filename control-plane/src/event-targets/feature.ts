import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import { eventTargetEndpoints } from "./routes.ts";
import { EventTargets } from "./service.ts";
import { openTargetGuards } from "./target-guards.ts";

export type EventTargetFeatureDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
};

/** Settings of customers and operators for the delivery of events. */
export function eventTargetFeature({ config, db, masterKey }: EventTargetFeatureDeps): Feature {
  const { customers } = openTargetGuards(config);
  return { name: "events", endpoints: eventTargetEndpoints(new EventTargets({ db, masterKey, customers })) };
}
