import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { OwnReadingRules, TraceRules } from "./model.ts";
import { OwnPayloads } from "./own-payloads/own-payloads.ts";
import { ownPayloadEndpoints } from "./own-payloads/routes.ts";
import { PayloadOpener } from "./payload-opener.ts";
import { PayloadReading } from "./payload-reading.ts";
import { traceEndpoints } from "./routes.ts";
import { TraceSearching } from "./search.ts";

export type TraceFeatureDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly clock: Clock;
  /** Read on each use, because admins can change them. */
  readonly rules: () => TraceRules;
  readonly ownRules: () => OwnReadingRules;
};

/** The endpoints with which admins read traces and users the bodies of their own calls. */
export function traceFeature(deps: TraceFeatureDeps): Feature {
  const opener = new PayloadOpener(deps);
  return {
    name: "trace",
    endpoints: [
      ...traceEndpoints({
        db: deps.db,
        search: new TraceSearching(deps),
        reading: new PayloadReading({ ...deps, opener }),
      }),
      ...ownPayloadEndpoints({ db: deps.db, payloads: new OwnPayloads({ ...deps, opener }) }),
    ],
  };
}
