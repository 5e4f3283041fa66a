import type { ChannelId } from "@sluice/contracts/ids";
import type { Queryable } from "../../platform/db.ts";

export type ChannelRow = {
  id: bigint;
  name: string;
  base_url: string;
  credential_sealed: Uint8Array | null;
  requests_per_minute: number | null;
  concurrency_max: number | null;
  first_byte_timeout_ms: number | null;
  idle_timeout_ms: number | null;
  exit_node_code: string | null;
  pinned_address: string | null;
  pass_through_paths: string[];
};

export type AbilityRow = { group_name: string; model: string; channel_id: bigint; priority: number; weight: number };

export async function listEnabledChannels(db: Queryable): Promise<ChannelRow[]> {
  return await db.sql<ChannelRow>`
    select id, name, base_url, credential_sealed, requests_per_minute, concurrency_max, first_byte_timeout_ms, idle_timeout_ms,
      exit_node_code, pinned_address, pass_through_paths
    from channel where status = 'enabled' order by id`;
}

export async function listEnabledAbilities(db: Queryable): Promise<AbilityRow[]> {
  return await db.sql<AbilityRow>`
    select a.group_name, a.model, a.channel_id, a.priority, a.weight
    from ability a join channel c on c.id = a.channel_id
    where a.is_enabled and c.status = 'enabled' order by a.priority, a.channel_id`;
}

/** Creates the channel or changes its address; returns its id. */
export async function saveChannel(db: Queryable, name: string, baseUrl: string): Promise<ChannelId> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into channel (name, base_url) values (${name}, ${baseUrl})
    on conflict (name) do update set base_url = excluded.base_url, updated_at = now()
    returning id`;
  if (row === undefined) {
    throw new Error(`channel ${name} was not saved`);
  }
  return row.id as ChannelId;
}

export async function setChannelCredential(db: Queryable, id: ChannelId, sealed: Uint8Array): Promise<void> {
  await db.sql`update channel set credential_sealed = ${sealed}, updated_at = now() where id = ${id}::bigint`;
}

export async function clearChannelCredential(db: Queryable, id: ChannelId): Promise<void> {
  await db.sql`update channel set credential_sealed = null, updated_at = now() where id = ${id}::bigint`;
}

/** Removes the channel's abilities. @returns how many models it served */
export async function disableAbilities(db: Queryable, id: ChannelId): Promise<number> {
  const rows = await db.sql`
    update ability set is_enabled = false, updated_at = now() where channel_id = ${id}::bigint and is_enabled returning model`;
  return rows.length;
}

export async function saveAbility(
  db: Queryable,
  ability: { groupName: string; model: string; channelId: ChannelId; priority: number; weight: number },
): Promise<void> {
  await db.sql`
    insert into ability (group_name, model, channel_id, priority, weight)
    values (${ability.groupName}, ${ability.model}, ${ability.channelId}::bigint, ${ability.priority}, ${ability.weight})
    on conflict (group_name, model, channel_id)
    do update set priority = excluded.priority, weight = excluded.weight, is_enabled = true, updated_at = now()`;
}
