import { readFile } from "node:fs/promises";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { Approvals } from "../admin/approvals/service.ts";
import { isPrivateUpstreamAllowed, openUpstreamGuard } from "../platform/address-guard.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { Job } from "../platform/schedule-jobs.ts";
import { accountLimitEndpoints } from "./account-limits/routes.ts";
import { priceDataJob } from "./catalog-admin/price-data/routes.ts";
import { Probes } from "./catalog-admin/probe/exchange.ts";
import { probeChannels } from "./catalog-admin/probe/probe-channels.ts";
import { type CatalogAdminDeps, catalogAdminEndpoints } from "./catalog-admin/routes.ts";
import {
  openChannelCredential,
  openFurtherCredential,
  sealChannelCredential,
  sealFurtherCredential,
} from "./channels/credentials.ts";
import { type GroupActs, groupEndpoints } from "./groups/routes.ts";
import { adminKeyEndpoints } from "./keys/admin-routes.ts";
import { keyEndpoints } from "./keys/routes.ts";
import { KeyService } from "./keys/service.ts";
import type { CacheRules } from "./response-cache/model.ts";
import { cacheEndpoints } from "./response-cache/routes.ts";
import { removeOldAnswers } from "./response-cache/shared/shared-answers-store.ts";

export type GatewayFeatureDeps = {
  readonly config: Config;
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly log: Log;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly acts: CatalogAdminDeps["acts"];
  readonly cacheRules: () => CacheRules;
  readonly groupActs: GroupActs;
};

/** The endpoints for users' keys, and for the admins' models, channels and abilities. */
export function gatewayFeatures(deps: GatewayFeatureDeps): Feature[] {
  const { config, db, masterKey, log, clock, approvals, acts, groupActs, cacheRules } = deps;
  const guard = openUpstreamGuard(config, log);
  const openClient = async (): Promise<PooledHttpClient> => {
    const { UPSTREAM_CA_FILE: caFile } = config;
    return new PooledHttpClient({ guard, ...(caFile === undefined ? {} : { tlsCa: await readFile(caFile, "utf8") }) });
  };
  const upstreams = {
    db,
    // If private addresses are allowed, a name need not resolve yet.
    guard: isPrivateUpstreamAllowed(config) ? null : guard,
    openCredentials: {
      ofChannel: openChannelCredential.bind(null, masterKey),
      further: openFurtherCredential.bind(null, masterKey),
    },
  };
  const keys = new KeyService(db);
  const probeDeps = { ...upstreams, probes: new Probes(openClient, clock), log };
  return [
    { name: "groups", endpoints: groupEndpoints({ db, approvals, acts: groupActs }) },
    { name: "account-limits", endpoints: accountLimitEndpoints(db) },
    { name: "keys", endpoints: [...keyEndpoints(keys), ...adminKeyEndpoints(keys)] },
    { name: "response-cache", endpoints: cacheEndpoints(db, cacheRules), jobs: cacheJobs(config, db) },
    {
      name: "catalog-admin",
      endpoints: catalogAdminEndpoints({
        ...upstreams,
        seals: {
          sealCredential: sealChannelCredential.bind(null, masterKey),
          sealFurtherCredential: sealFurtherCredential.bind(null, masterKey),
        },
        probes: new Probes(openClient, clock),
        approvals,
        acts,
        openClient,
      }),
      jobs: [
        priceDataJob({ db, openClient }),
        { name: "probe-channels", pattern: "40 * * * * *", run: () => probeChannels(probeDeps) },
      ],
    },
  ];
}

/** The table of the cache is cleaned where it is used. */
function cacheJobs({ RESPONSE_CACHE_STORE: kind, RESPONSE_CACHE_BYTES_MAX: bytesMax }: Config, db: Database): Job[] {
  const run = () => removeOldAnswers(db, bytesMax);
  return kind === "postgres" ? [{ name: "clean-cached-responses", pattern: "15 * * * * *", run }] : [];
}
