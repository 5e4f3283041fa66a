import type { Database, Transaction } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";
import type { DnsDeps } from "./dns-check.ts";
import type { HealthDeps } from "./health-check.ts";
import type { AddressPolicy, ExitNode, SwitchPolicy } from "./model.ts";
import { hostUrlOf } from "./node-address.ts";
import type { ExitChannels, RelayKeys } from "./port.ts";

export type ExitNodeDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly channels: ExitChannels;
  readonly keys: RelayKeys;
  readonly addresses: AddressPolicy;
  readonly switching: SwitchPolicy;
  readonly dns: DnsDeps;
  readonly health: HealthDeps;
  readonly now: () => Date;
};

/**
 * Updates the channel of a node to match it. Calls are only sent to a proven address.
 * @param relayKey the key that the node at this address has proved to hold; null keeps the channel's current one
 */
export async function syncChannel(
  { channels }: ExitNodeDeps,
  tx: Transaction,
  node: ExitNode,
  relayKey: string | null,
): Promise<void> {
  const { nodeCode, relayUrl, ip, status, isServing } = node;
  await channels.put(tx, {
    nodeCode,
    baseUrl: `${relayUrl ?? hostUrlOf(node)}/v1`,
    address: ip,
    isProven: node.provenAt !== null,
    credential: relayKey,
    isEnabled: relayUrl !== null && isServing && status !== "disabled",
  });
}

/** What the audit log shows of a node. */
export function auditedNode(node: ExitNode): Record<string, unknown> {
  return {
    name: node.name,
    region: node.region,
    host: node.host,
    ip: node.ip,
    relay_url: node.relayUrl,
    relay_key_secret: node.relayKeySecret,
    status: node.status,
    weight: node.weight,
    callback_base_url: node.callbackBaseUrl,
    oauth_redirect_path: node.oauthRedirectPath,
    source_node_id: node.sourceNodeId,
    version: node.version,
  };
}
