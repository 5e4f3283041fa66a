import type { ChannelId, GatewayUserId } from "@sluice/contracts/ids";
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
  base_url: string;
  pinned_address: string;
  status: "enabled" | "disabled";
  credential_sealed: Uint8Array | null;
};

/** A node's channel, locked until the end of the transaction; null while it has none. */
export async function lockExitChannel(tx: Queryable, nodeCode: string): Promise<ExitChannelRow | null> {
  const [row] = await tx.sql<ExitChannelRow>`
    select id, base_url, pinned_address, status, credential_sealed from channel
    where exit_node_code = ${nodeCode} for update`;
  return row ?? null;
}

export type ExitChannelFields = {
  readonly nodeCode: string;
  readonly baseUrl: string;
  readonly address: string;
  readonly status: ExitChannelRow["status"];
};

export async function insertExitChannel(tx: Queryable, fields: ExitChannelFields): Promise<ChannelId> {
  const [row] = await tx.sql<{ id: ChannelId }>`
    insert into channel (name, base_url, exit_node_code, pinned_address, status)
    values (${`exit-node:${fields.nodeCode}`}, ${fields.baseUrl}, ${fields.nodeCode}, ${fields.address}, ${fields.status})
    returning id`;
  if (row === undefined) {
    throw new Error(`the channel of node ${fields.nodeCode} was not saved`);
  }
  return row.id;
}

export async function updateExitChannel(tx: Queryable, fields: ExitChannelFields): Promise<void> {
  await tx.sql`
    update channel set base_url = ${fields.baseUrl}, pinned_address = ${fields.address}, status = ${fields.status},
      updated_at = now()
    where exit_node_code = ${fields.nodeCode}`;
}

/**
 * Gives the nodes' channels an ability for each model that anyone may use there, and removes the others. Nothing is
 * written if nothing changes: every statement on the table makes all replicas reload their catalog.
 */
export async function alignExitAbilities(tx: Queryable): Promise<void> {
  // The second writer sees the changes of the first.
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
