import type { ChannelId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";
import { type Ability, type Channel, parseBaseUrl } from "./channels/model.ts";
import { type ChannelRow, listEnabledAbilities, listEnabledChannels } from "./channels/store.ts";
import type { ModelEntry } from "./model.ts";
import { toPriceVersion } from "./prices/model.ts";
import { listPricedModels, type ModelRow } from "./prices/store.ts";

/** Models, prices, channels and abilities as one immutable snapshot; a reload replaces it whole. */
export type Catalog = {
  readonly models: ReadonlyMap<string, ModelEntry>;
  /** Group, then model: the abilities in the order of their priority. */
  readonly abilities: ReadonlyMap<string, ReadonlyMap<string, readonly Ability[]>>;
};

export const emptyCatalog: Catalog = { models: new Map(), abilities: new Map() };

/** Opens the sealed credential of a channel. */
export type OpenCredential = (id: ChannelId, sealed: Uint8Array) => string;

/** Loads the snapshot. A channel that can't be used is left out and said in the log; it never takes the others along. */
export async function loadCatalog(db: Queryable, openCredential: OpenCredential, log: Log): Promise<Catalog> {
  const models = new Map((await listPricedModels(db)).map((row) => [row.name, toModelEntry(row)]));
  const channels = new Map<bigint, Channel>();
  for (const row of await listEnabledChannels(db)) {
    try {
      channels.set(row.id, toChannel(row, openCredential));
    } catch (error) {
      log.error("catalog.channel_unusable", { channel: row.name, error });
    }
  }
  const abilities = new Map<string, Map<string, Ability[]>>();
  for (const row of await listEnabledAbilities(db)) {
    const channel = channels.get(row.channel_id);
    if (channel !== undefined) {
      const group = abilities.get(row.group_name) ?? new Map<string, Ability[]>();
      abilities.set(row.group_name, group);
      group.set(row.model, [...(group.get(row.model) ?? []), { channel, priority: row.priority, weight: row.weight }]);
    }
  }
  return { models, abilities };
}

function toChannel(row: ChannelRow, openCredential: OpenCredential): Channel {
  const id = row.id as ChannelId;
  return {
    id,
    name: row.name,
    ...parseBaseUrl(row.base_url),
    credential: row.credential_sealed === null ? null : openCredential(id, row.credential_sealed),
    requestsPerMinute: row.requests_per_minute,
    concurrencyMax: row.concurrency_max,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
  };
}

function toModelEntry(row: ModelRow): ModelEntry {
  return {
    name: row.name,
    ownedBy: row.owned_by,
    createdAt: Math.floor(row.created_at.getTime() / 1000),
    contextTokensMax: row.context_tokens_max,
    outputTokensMax: row.output_tokens_max,
    imageTokensMax: row.image_tokens_max,
    deprecatedAtMs: row.deprecated_at?.getTime() ?? null,
    sunsetAtMs: row.sunset_at?.getTime() ?? null,
    price: toPriceVersion({
      version: row.version,
      input: row.input_usd_per_m,
      output: row.output_usd_per_m,
      cacheRead: row.cache_read_usd_per_m,
      cacheWrite: row.cache_write_usd_per_m,
      reasoning: row.reasoning_usd_per_m,
      request: row.request_usd,
      image: row.image_usd,
      second: row.second_usd,
    }),
  };
}
