import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import type { CredentialMarks } from "@sluice/control-plane/gateway/channels/credential-loads.ts";
import {
  type Ability,
  type Channel,
  type ChannelCredential,
  toUpstream,
} from "@sluice/control-plane/gateway/channels/model.ts";

/** A channel without a real upstream, for rules that never call it. */
export function channelOf(id: number, more: Partial<Channel> = {}): Channel {
  return {
    id: BigInt(id) as ChannelId,
    name: `channel ${id}`,
    ...toUpstream(openaiUpstream("http://127.0.0.1:9/v1")),
    pinnedAddress: null,
    exitNode: null,
    credentials: [],
    requestsPerMinute: null,
    concurrencyMax: null,
    firstByteTimeoutMs: null,
    idleTimeoutMs: null,
    passThroughPaths: new Set(),
    isResting: false,
    ...more,
  };
}

/** A channel's ability in the first priority, under the same name of the model. */
export function abilityOf(channel: Channel, more: Partial<Ability> = {}): Ability {
  return { channel, upstreamModel: null, priority: 0, weight: 1, ...more };
}

/** A credential without limits of its own, accepted by its provider. */
export function credentialOf(id: number, more: Partial<ChannelCredential> = {}): ChannelCredential {
  const limits = { requestsPerMinute: null, concurrencyMax: null };
  return {
    id: BigInt(id) as CredentialId,
    label: `key ${id}`,
    secret: `secret-${id}`,
    weight: 1,
    ...limits,
    refusedAtMs: null,
    ...more,
  };
}

/** Marks of credentials that nobody reads. */
export const noMarks: CredentialMarks = { onRefused: () => undefined, onAccepted: () => undefined };
