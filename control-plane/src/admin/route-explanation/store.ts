import type { Queryable } from "../../platform/db.ts";
import type { AbilityFacts, RouteFacts } from "./model.ts";

const abilitiesMax = 1_000;

/** The entry of the model map; null when there is none. */
export async function findMapping(db: Queryable, name: string): Promise<RouteFacts["mapping"]> {
  const [row] = await db.sql<{ upstream_model: string; is_enabled: boolean }>`
    select upstream_model, is_enabled from messages_model where name = ${name}`;
  return row === undefined ? null : { upstreamModel: row.upstream_model, isEnabled: row.is_enabled };
}

export async function findModel(db: Queryable, name: string): Promise<RouteFacts["model"]> {
  const [row] = await db.sql<{ is_enabled: boolean; has_price: boolean }>`
    select status = 'enabled' as is_enabled,
      exists (select 1 from model_price p where p.model = m.name and p.valid_from <= now()) as has_price
    from model m where name = ${name}`;
  return row === undefined ? null : { isEnabled: row.is_enabled, hasPrice: row.has_price };
}

type AbilityRow = {
  group_name: string;
  channel_id: bigint;
  channel_name: string;
  exit_node_code: string | null;
  base_url: string;
  channel_status: string;
  has_credential: boolean;
  is_enabled: boolean;
  priority: number;
  weight: number;
};

/** Of all groups, in the order that the gateway uses. */
export async function selectAbilities(
  db: Queryable,
  model: string,
  isAddressUsable: (baseUrl: string) => boolean,
): Promise<AbilityFacts[]> {
  const rows = await db.sql<AbilityRow>`
    select a.group_name, a.channel_id, c.name as channel_name, c.exit_node_code, c.base_url, c.status as channel_status,
      c.credential_sealed is not null as has_credential, a.is_enabled, a.priority, a.weight
    from ability a join channel c on c.id = a.channel_id
    where a.model = ${model} order by a.priority, a.channel_id, a.group_name limit ${abilitiesMax}::int`;
  return rows.map((row) => ({
    groupName: row.group_name,
    channelId: row.channel_id,
    channelName: row.channel_name,
    exitNodeCode: row.exit_node_code,
    isChannelEnabled: row.channel_status === "enabled",
    isAddressUsable: isAddressUsable(row.base_url),
    hasCredential: row.has_credential,
    isEnabled: row.is_enabled,
    priority: row.priority,
    weight: row.weight,
  }));
}
