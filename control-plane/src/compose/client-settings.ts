import type { EdgeSettings } from "../platform/client-address.ts";
import type { ClientPatience } from "../platform/client-patience.ts";
import type { Config } from "../platform/config.ts";

/** Which proxies may name a client's address, and how long a client may do nothing. */
export function clientSettings(config: Config): { readonly edge: EdgeSettings; readonly patience: ClientPatience } {
  return {
    edge: { header: config.CLIENT_IP_HEADER ?? null, addresses: config.EDGE_ADDRESSES },
    patience: { stallTimeoutMs: config.STREAM_STALL_TIMEOUT_MS, idleTimeoutMs: config.CLIENT_IDLE_TIMEOUT_MS },
  };
}
