import type { ChannelId } from "@sluice/contracts/ids";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import { priceColumns } from "@sluice/contracts/priced-units";
import type { PriceTexts } from "../../models/model.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

export type SwitchStatus = "enabled" | "disabled";

export type ModelSettings = {
  readonly displayName: string;
  readonly ownedBy: string;
  readonly kind: ModelKind;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly imageTokensMax: number;
  readonly status: SwitchStatus;
  readonly deprecatedAt: Date | null;
  readonly sunsetAt: Date | null;
};

export type StoredModel = ModelSettings & { readonly name: string; readonly updatedAt: Date };

type ModelRow = {
  name: string;
  display_name: string;
  owned_by: string;
  kind: ModelKind;
  context_tokens_max: number;
  output_tokens_max: number;
  image_tokens_max: number;
  status: SwitchStatus;
  deprecated_at: Date | null;
  sunset_at: Date | null;
  updated_at: Date;
};

/** The model, locked until the transaction ends; null when there is none. */
export async function lockModel(tx: Queryable, name: string): Promise<StoredModel | null> {
  const [row] = await tx.sql<ModelRow>`
    select name, display_name, owned_by, kind, context_tokens_max, output_tokens_max, image_tokens_max, status, deprecated_at,
      sunset_at, updated_at
    from model where name = ${name} for update`;
  return row === undefined
    ? null
    : {
        name: row.name,
        displayName: row.display_name,
        ownedBy: row.owned_by,
        kind: row.kind,
        contextTokensMax: row.context_tokens_max,
        outputTokensMax: row.output_tokens_max,
        imageTokensMax: row.image_tokens_max,
        status: row.status,
        deprecatedAt: row.deprecated_at,
        sunsetAt: row.sunset_at,
        updatedAt: row.updated_at,
      };
}

/** Changes a locked model. */
export async function updateModel(tx: Queryable, name: string, to: ModelSettings): Promise<void> {
  await tx.sql`
    update model set display_name = ${to.displayName}, owned_by = ${to.ownedBy}, kind = ${to.kind},
      context_tokens_max = ${to.contextTokensMax}, output_tokens_max = ${to.outputTokensMax},
      image_tokens_max = ${to.imageTokensMax}, status = ${to.status}, deprecated_at = ${to.deprecatedAt}::timestamptz,
      sunset_at = ${to.sunsetAt}::timestamptz, updated_at = clock_timestamp()
    where name = ${name}`;
}

/** The newest version of a model's prices; null while it has none. */
export async function findNewestPrice(tx: Queryable, model: string): Promise<PriceTexts | null> {
  const [row] = await tx.query<PriceTexts>(
    `select version, ${priceColumns.join(", ")} from model_price where model = $1 order by version desc limit 1`,
    [model],
  );
  return row ?? null;
}

export type ChannelEntry = {
  readonly id: ChannelId;
  readonly name: string;
  readonly baseUrl: string;
  readonly status: SwitchStatus;
  readonly requestsPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly firstByteTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly passThroughPaths: readonly string[];
  readonly credentialSealed: Uint8Array | null;
  readonly exitNodeCode: string | null;
  readonly pinnedAddress: string | null;
  readonly updatedAt: Date;
};

type ChannelRow = {
  id: bigint;
  name: string;
  base_url: string;
  status: SwitchStatus;
  requests_per_minute: number | null;
  concurrency_max: number | null;
  first_byte_timeout_ms: number | null;
  idle_timeout_ms: number | null;
  pass_through_paths: string[];
  credential_sealed: Uint8Array | null;
  exit_node_code: string | null;
  pinned_address: string | null;
  updated_at: Date;
};

const toChannelEntry = (row: ChannelRow): ChannelEntry => ({
  id: row.id as ChannelId,
  name: row.name,
  baseUrl: row.base_url,
  status: row.status,
  requestsPerMinute: row.requests_per_minute,
  concurrencyMax: row.concurrency_max,
  firstByteTimeoutMs: row.first_byte_timeout_ms,
  idleTimeoutMs: row.idle_timeout_ms,
  passThroughPaths: row.pass_through_paths,
  credentialSealed: row.credential_sealed,
  exitNodeCode: row.exit_node_code,
  pinnedAddress: row.pinned_address,
  updatedAt: row.updated_at,
});

export async function findChannel(db: Queryable, id: ChannelId): Promise<ChannelEntry | null> {
  const [row] = await db.sql<ChannelRow>`
    select id, name, base_url, status, requests_per_minute, concurrency_max, first_byte_timeout_ms, idle_timeout_ms,
      pass_through_paths, credential_sealed, exit_node_code, pinned_address, updated_at
    from channel where id = ${id}::bigint`;
  return row === undefined ? null : toChannelEntry(row);
}

/** Keeps others from changing the channel until the transaction ends. */
export async function lockChannel(tx: Queryable, id: ChannelId): Promise<ChannelEntry | null> {
  await tx.sql`select 1 from channel where id = ${id}::bigint for update`;
  return await findChannel(tx, id);
}

/** Adds a channel without a credential; null when the name is taken. */
export async function insertChannel(tx: Queryable, name: string, baseUrl: string): Promise<ChannelId | null> {
  const [row] = await tx.sql<{ id: bigint }>`
    insert into channel (name, base_url, status) values (${name}, ${baseUrl}, 'disabled')
    on conflict (name) do nothing returning id`;
  return (row?.id ?? null) as ChannelId | null;
}

export type ChannelSettings = Pick<
  ChannelEntry,
  | "name"
  | "baseUrl"
  | "status"
  | "requestsPerMinute"
  | "concurrencyMax"
  | "firstByteTimeoutMs"
  | "idleTimeoutMs"
  | "passThroughPaths"
  | "credentialSealed"
>;

/** Changes a locked channel. */
export async function updateChannel(tx: Queryable, id: ChannelId, to: ChannelSettings): Promise<void> {
  await tx.sql`
    update channel set name = ${to.name}, base_url = ${to.baseUrl}, status = ${to.status},
      requests_per_minute = ${to.requestsPerMinute}, concurrency_max = ${to.concurrencyMax},
      first_byte_timeout_ms = ${to.firstByteTimeoutMs}, idle_timeout_ms = ${to.idleTimeoutMs},
      pass_through_paths = ${arrayLiteral(to.passThroughPaths)}::text[],
      credential_sealed = ${to.credentialSealed}, updated_at = clock_timestamp()
    where id = ${id}::bigint`;
}

export type AbilitySettings = { readonly isEnabled: boolean; readonly priority: number; readonly weight: number };
export type AbilityKey = { readonly groupName: string; readonly model: string; readonly channelId: ChannelId };

export async function lockAbility(tx: Queryable, key: AbilityKey): Promise<AbilitySettings | null> {
  const [row] = await tx.sql<{ is_enabled: boolean; priority: number; weight: number }>`
    select is_enabled, priority, weight from ability
    where group_name = ${key.groupName} and model = ${key.model} and channel_id = ${key.channelId}::bigint for update`;
  return row === undefined ? null : { isEnabled: row.is_enabled, priority: row.priority, weight: row.weight };
}

export async function upsertAbility(tx: Queryable, key: AbilityKey, to: AbilitySettings): Promise<void> {
  await tx.sql`
    insert into ability (group_name, model, channel_id, is_enabled, priority, weight)
    values (${key.groupName}, ${key.model}, ${key.channelId}::bigint, ${to.isEnabled}, ${to.priority}, ${to.weight})
    on conflict (group_name, model, channel_id)
    do update set is_enabled = excluded.is_enabled, priority = excluded.priority, weight = excluded.weight,
      updated_at = now()`;
}

/** The first model that a channel serves, or null. */
export async function findServedModel(db: Queryable, id: ChannelId): Promise<string | null> {
  const [row] = await db.sql<{ model: string }>`
    select model from ability where channel_id = ${id}::bigint order by is_enabled desc, priority, model limit 1`;
  return row?.model ?? null;
}
