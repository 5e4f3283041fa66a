import type { ChannelId, GatewayUserId } from "@sluice/contracts/ids";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { eq } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { channel } from "../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import { exitNodeGroup } from "./model.ts";

/**
 * A user's permission to use a node's channel for a model; `node_account` is the node's name for the account to use.
 */
export type PermitRow = {
  gateway_user_id: GatewayUserId;
  model: string;
  channel_id: ChannelId;
  node_account: string | null;
};

export async function listExitPermits(db: Queryable): Promise<PermitRow[]> {
  return await db.sql<PermitRow>`select gateway_user_id, model, channel_id, node_account from exit_permit`;
}

export type ExitChannelRow = {
  id: ChannelId;
  upstream: UpstreamSettings;
  pinned_address: string;
  status: "enabled" | "disabled";
  credential_sealed: Uint8Array | null;
};

/** A node's channel, locked until the end of the transaction; null while it has none. */
export async function lockExitChannel(tx: Queryable, nodeCode: string): Promise<ExitChannelRow | null> {
  const [row] = await tx.drizzle
    .select({
      id: channel.id,
      upstream: channel.upstream,
      pinned_address: channel.pinnedAddress,
      status: channel.status,
      credential_sealed: channel.credentialSealed,
    })
    .from(channel)
    .where(eq(channel.exitNodeCode, nodeCode))
    .for("update");
  return (row ?? null) as ExitChannelRow | null;
}

export type ExitChannelFields = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  readonly address: string;
  readonly status: ExitChannelRow["status"];
};

export async function insertExitChannel(tx: Queryable, fields: ExitChannelFields): Promise<ChannelId> {
  const { nodeCode, baseUrl, address, status } = fields;
  const [row] = await tx.drizzle
    .insert(channel)
    .values({
      name: `exit-node:${nodeCode}`,
      upstream: openaiUpstream(baseUrl),
      exitNodeCode: nodeCode,
      pinnedAddress: address,
      status,
    })
    .returning({ id: channel.id });
  if (row === undefined) {
    throw new Error(`the channel of node ${nodeCode} was not saved`);
  }
  return row.id as ChannelId;
}

export async function updateExitChannel(tx: Queryable, fields: ExitChannelFields): Promise<void> {
  const { nodeCode, baseUrl, address, status } = fields;
  await tx.drizzle
    .update(channel)
    .set({ upstream: openaiUpstream(baseUrl), pinnedAddress: address, status, updatedAt: now })
    .where(eq(channel.exitNodeCode, nodeCode));
}

/**
 * Gives the nodes' channels an ability for each model that anyone may use there, and removes the others. Nothing is
 * written if nothing changes: every statement on the table makes all replicas reload their catalog.
 */
export async function alignExitAbilities(tx: Queryable): Promise<void> {
  // A second writer waits here and then sees the changes of the first.
  await takeAdvisoryLock(tx, "abilities of exit nodes");
  const [state] = await tx.sql<{ differs: boolean }>`
    select exists (
      (select distinct model, channel_id, weight from exit_permit
        except select model, channel_id, weight from ability where is_exit_node and is_enabled)
      union all
      (select model, channel_id, weight from ability where is_exit_node and is_enabled
        except select distinct model, channel_id, weight from exit_permit)
    ) as differs`;
  if (state?.differs !== true) {
    return;
  }
  await tx.sql`
    update ability set is_enabled = false, updated_at = now() where is_exit_node and is_enabled
      and (model, channel_id) not in (select model, channel_id from exit_permit)`;
  await tx.sql`
    insert into ability (group_name, model, channel_id, priority, weight, is_exit_node)
    select distinct ${exitNodeGroup}, model, channel_id, 0, weight, true from exit_permit
    on conflict (group_name, model, channel_id)
    do update set is_enabled = true, weight = excluded.weight, updated_at = now()`;
}
