import type { Approvals } from "../admin/approvals/service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { accountLimitEndpoints } from "./account-limits/routes.ts";
import { Probes } from "./catalog-admin/probe/exchange.ts";
import { type CatalogAdminDeps, catalogAdminEndpoints } from "./catalog-admin/routes.ts";
import { sealChannelCredential, sealFurtherCredential } from "./channels/credentials.ts";
import { type GroupActs, groupEndpoints } from "./groups/routes.ts";
import { adminKeyEndpoints } from "./keys/admin-routes.ts";
import { keyEndpoints } from "./keys/routes.ts";
import { KeyService } from "./keys/service.ts";
import type { CacheRules } from "./response-cache/model.ts";
import { cacheEndpoints } from "./response-cache/routes.ts";
import { openUpstreamAccess } from "./upstream-access.ts";

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
  const access = openUpstreamAccess(config, masterKey, log);
  const keys = new KeyService(db);
  return [
    { name: "groups", endpoints: groupEndpoints({ db, approvals, acts: groupActs }) },
    { name: "account-limits", endpoints: accountLimitEndpoints(db) },
    { name: "keys", endpoints: [...keyEndpoints(keys), ...adminKeyEndpoints(keys)] },
    { name: "response-cache", endpoints: cacheEndpoints(db, cacheRules) },
    {
      name: "catalog-admin",
      endpoints: catalogAdminEndpoints({
        db,
        ...access,
        seals: {
          sealCredential: sealChannelCredential.bind(null, masterKey),
          sealFurtherCredential: sealFurtherCredential.bind(null, masterKey),
        },
        probes: new Probes(access.openClient, clock),
        approvals,
        acts,
      }),
    },
  ];
}
