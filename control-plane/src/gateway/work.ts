import { bySystem } from "../admin/audit/service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { Job } from "../platform/schedule-jobs.ts";
import { Probes } from "./catalog-admin/probe/exchange.ts";
import { probeChannels } from "./catalog-admin/probe/probe-channels.ts";
import { removeOldAnswers } from "./response-cache/shared/shared-answers-store.ts";
import { openUpstreamAccess } from "./upstream-access.ts";

export type GatewayWorkDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly clock: Clock;
};

/** The jobs of the catalog and of the response cache. */
export function gatewayWork({ config, db, masterKey, log, clock }: GatewayWorkDeps): Work {
  const access = openUpstreamAccess(config, masterKey, log);
  const probeDeps = { db, log, ...access, probes: new Probes(access.openClient, clock) };
  return {
    jobs: [
      ...cacheJobs(config, db),
      {
        name: "fetch-price-data",
        pattern: "0 40 3 * * *",
        run: async () => {
          const { fetchPriceData } = await import("./catalog-admin/price-data/fetch-price-data.ts");
          await fetchPriceData({ db, openClient: access.openClient }, bySystem("fetch-price-data"));
        },
      },
      { name: "probe-channels", pattern: "40 * * * * *", run: () => probeChannels(probeDeps) },
    ],
  };
}

/** The table of the cache is cleaned where it is used. */
function cacheJobs({ RESPONSE_CACHE_STORE: kind, RESPONSE_CACHE_BYTES_MAX: bytesMax }: Config, db: Database): Job[] {
  const run = () => removeOldAnswers(db, bytesMax);
  return kind === "postgres" ? [{ name: "clean-cached-responses", pattern: "15 * * * * *", run }] : [];
}
