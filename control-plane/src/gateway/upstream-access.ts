import { readFile } from "node:fs/promises";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { isPrivateUpstreamAllowed, openUpstreamGuard } from "../platform/address-guard.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Log } from "../platform/log.ts";
import type { OpenCredentials } from "./catalog-admin/probe/probe-target.ts";
import { openChannelCredential, openFurtherCredential } from "./channels/credentials.ts";

/** How trial calls of admins reach upstreams. */
export type UpstreamAccess = {
  /** Opens a client that reaches only what upstreams may be. */
  readonly openClient: () => Promise<PooledHttpClient>;
  /** Checks where channel hosts resolve to; null if any server of the network is allowed. */
  readonly guard: AddressGuard | null;
  readonly openCredentials: OpenCredentials;
};

export function openUpstreamAccess(config: Config, masterKey: MasterKey, log: Log): UpstreamAccess {
  const guard = openUpstreamGuard(config, log);
  const { UPSTREAM_CA_FILE: caFile } = config;
  return {
    openClient: async () =>
      new PooledHttpClient({ guard, ...(caFile === undefined ? {} : { tlsCa: await readFile(caFile, "utf8") }) }),
    // If private addresses are allowed, a name need not resolve yet.
    guard: isPrivateUpstreamAllowed(config) ? null : guard,
    openCredentials: {
      ofChannel: openChannelCredential.bind(null, masterKey),
      further: openFurtherCredential.bind(null, masterKey),
    },
  };
}
