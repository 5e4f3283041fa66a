import type { ChannelId } from "@sluice/contracts/ids";
import type { Channel } from "@sluice/control-plane/gateway/channels/model.ts";

/** A channel without a real upstream, for rules that never call it. */
export function channelOf(id: number, more: Partial<Channel> = {}): Channel {
  return {
    id: BigInt(id) as ChannelId,
    name: `channel ${id}`,
    protocol: "http:",
    hostname: "127.0.0.1",
    port: 9,
    basePath: "/v1",
    pinnedAddress: null,
    exitNode: null,
    credential: null,
    requestsPerMinute: null,
    concurrencyMax: null,
    firstByteTimeoutMs: null,
    idleTimeoutMs: null,
    passThroughPaths: new Set(),
    ...more,
  };
}
