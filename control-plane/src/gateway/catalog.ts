import type { ChannelId, CredentialId, GatewayUserId } from "@sluice/contracts/ids";
import { toPriceVersion } from "../models/model.ts";
import { listPricedModels, type ModelRow } from "../models/model-store.ts";
import type { Database, Queryable } from "../platform/db.ts";
import type { Log } from "../platform/log.ts";
import { type CredentialRow, listCredentials } from "./channels/credential-store.ts";
import { listExitPermits } from "./channels/exit-channel-store.ts";
import {
  type Ability,
  type Channel,
  type ChannelCredential,
  type ExitNodesOfModel,
  exitNodeGroup,
  toUpstream,
} from "./channels/model.ts";
import { type ChannelRow, listEnabledAbilities, listEnabledChannels, listFallbacks } from "./channels/store.ts";
import { lifeHeaders } from "./life-headers.ts";
import type { FallbackRule, ModelEntry } from "./model.ts";
import { findGeneration } from "./response-cache/store.ts";

/** Models, prices, channels and abilities as one immutable snapshot; a reload replaces it whole. */
export type Catalog = {
  readonly models: ReadonlyMap<string, ModelEntry>;
  /** The abilities by group and model, sorted by priority. */
  readonly abilities: ReadonlyMap<string, ReadonlyMap<string, readonly Ability[]>>;
  readonly permits: ExitPermits;
  /** How often the response cache was cleared. */
  readonly cacheGeneration: bigint;
  readonly fallbacks: FallbackRules;
};

/** The permitted exit nodes by user and model. */
export type ExitPermits = ReadonlyMap<GatewayUserId, ReadonlyMap<string, ExitNodesOfModel>>;

/** The other models by the model that is asked for and the group of its caller; null for all other groups. */
export type FallbackRules = ReadonlyMap<string, ReadonlyMap<string | null, FallbackRule>>;

export const emptyCatalog: Catalog = {
  models: new Map(),
  abilities: new Map(),
  permits: new Map(),
  cacheGeneration: 0n,
  fallbacks: new Map(),
};

export type CatalogDeps = {
  readonly db: Pick<Database, "withTransaction">;
  /** Decrypts the credential of a channel itself, and a further one. */
  readonly openCredential: (id: ChannelId, sealed: Uint8Array) => string;
  readonly openFurtherCredential: (id: CredentialId, sealed: Uint8Array) => string;
  /** Whether connections may go to the address of an exit node. */
  readonly isNodeAddressAllowed: (address: string) => boolean;
  readonly log: Log;
};

/**
 * Loads the catalog as it was at one moment: a change of a channel and its abilities is seen whole or not at all. A channel
 * that can't be used is skipped and logged; it never takes the others down with it.
 */
export async function loadCatalog(deps: CatalogDeps): Promise<Catalog> {
  return await deps.db.withTransaction((tx) => readCatalog(tx, deps), { isolation: "repeatable read" });
}

async function readCatalog(db: Queryable, deps: CatalogDeps): Promise<Catalog> {
  const { log } = deps;
  const models = new Map((await listPricedModels(db)).map((row) => [row.name, toModelEntry(row)]));
  const channels = new Map<bigint, Channel>();
  const credentials = Map.groupBy(await listCredentials(db), ({ channel_id: id }) => id as bigint);
  for (const row of await listEnabledChannels(db)) {
    try {
      const usable = toChannel(row, credentials.get(row.id) ?? [], deps);
      if (usable !== null) {
        channels.set(row.id, usable);
      }
    } catch (error) {
      log.error("catalog.channel_unusable", { channel: row.name, error });
    }
  }
  const abilities = new Map<string, Map<string, Ability[]>>();
  for (const row of await listEnabledAbilities(db)) {
    const channel = channels.get(row.channel_id);
    // The database refuses such an ability. Even if that rule were missing, the gateway would not use it.
    const isAstray = channel?.exitNode !== null && row.group_name !== exitNodeGroup;
    if (channel !== undefined && !isAstray) {
      const group = abilities.get(row.group_name) ?? new Map<string, Ability[]>();
      abilities.set(row.group_name, group);
      const { upstream_model: upstreamModel, priority, weight } = row;
      group.set(row.model, [...(group.get(row.model) ?? []), { channel, upstreamModel, priority, weight }]);
    }
  }
  const [permits, fallbacks] = [await loadPermits(db), await loadFallbacks(db)];
  return { models, abilities, permits, fallbacks, cacheGeneration: await findGeneration(db) };
}

async function loadFallbacks(db: Queryable): Promise<FallbackRules> {
  const rules = new Map<string, Map<string | null, FallbackRule>>();
  for (const { model, groupName, fallbackModels: models, largerModel, isForEveryKey } of await listFallbacks(db)) {
    const ofModel = rules.get(model) ?? new Map<string | null, FallbackRule>();
    rules.set(model, ofModel.set(groupName, { models, largerModel, isForEveryKey }));
  }
  return rules;
}

async function loadPermits(db: Queryable): Promise<ExitPermits> {
  const permits = new Map<GatewayUserId, Map<string, Map<ChannelId, string | null>>>();
  for (const { gateway_user_id: userId, model, channel_id: channelId, node_account: account } of await listExitPermits(
    db,
  )) {
    const models = permits.get(userId) ?? new Map<string, Map<ChannelId, string | null>>();
    permits.set(userId, models);
    const nodes = models.get(model) ?? new Map<ChannelId, string | null>();
    models.set(model, nodes.set(channelId, account));
  }
  return permits;
}

/**
 * Null for a channel whose credentials are all disabled, or that has just lost its last one: it is not called without.
 * @throws Error for a channel that can't be used
 */
function toChannel(row: ChannelRow, rows: readonly CredentialRow[], deps: CatalogDeps): Channel | null {
  const { isNodeAddressAllowed } = deps;
  const id = row.id as ChannelId;
  const enabled = rows.filter(({ status }) => status === "enabled");
  const credentials = enabled.flatMap((credential) => toCredential(row, credential, deps) ?? []);
  if ((rows.length > 0 || row.credential_sealed !== null) && credentials.length === 0) {
    if (enabled.length > 0) {
      throw new Error("none of its credentials can be decrypted");
    }
    return null;
  }
  if (row.pinned_address !== null && !isNodeAddressAllowed(row.pinned_address)) {
    throw new Error("the address of the exit node is not public");
  }
  return {
    id,
    name: row.name,
    ...toUpstream(row.upstream),
    credentials,
    requestsPerMinute: row.requests_per_minute,
    concurrencyMax: row.concurrency_max,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    pinnedAddress: row.pinned_address,
    exitNode: row.exit_node_code,
    passThroughPaths: new Set(row.pass_through_paths),
    isResting: row.is_resting,
  };
}

/** Null for a credential that can't be decrypted: the others can still be used. */
function toCredential(
  { name, credential_sealed: ownSealed }: ChannelRow,
  row: CredentialRow,
  { openCredential, openFurtherCredential, log }: CatalogDeps,
): ChannelCredential | null {
  try {
    const own = ownSealed === null ? null : () => openCredential(row.channel_id, ownSealed);
    const secret = row.secret_sealed === null ? own?.() : openFurtherCredential(row.id, row.secret_sealed);
    return secret === undefined
      ? null
      : {
          id: row.id,
          label: row.label,
          secret,
          weight: row.weight,
          requestsPerMinute: row.requests_per_minute,
          concurrencyMax: row.concurrency_max,
          refusedAtMs: row.refused_at?.getTime() ?? null,
        };
  } catch (error) {
    log.error("catalog.credential_unusable", { channel: name, credential: row.label, error });
    return null;
  }
}

function toModelEntry(row: ModelRow): ModelEntry {
  return {
    name: row.name,
    ownedBy: row.owned_by,
    kind: row.kind,
    createdAt: Math.floor(row.created_at.getTime() / 1000),
    contextTokensMax: row.context_tokens_max,
    outputTokensMax: row.output_tokens_max,
    imageTokensMax: row.image_tokens_max,
    deprecatedAtMs: row.deprecated_at?.getTime() ?? null,
    sunsetAtMs: row.sunset_at?.getTime() ?? null,
    replacement: row.replacement_model,
    lifeHeaders: lifeHeaders(row.deprecated_at, row.sunset_at),
    price: toPriceVersion(row),
  };
}
