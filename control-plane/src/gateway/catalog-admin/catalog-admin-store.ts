import { camelCase } from "@sluice/contracts/camel-case";
import type { ChannelId } from "@sluice/contracts/ids";
import type { StatedCapability } from "@sluice/contracts/model-capabilities";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import { priceColumns } from "@sluice/contracts/priced-units";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { and, asc, desc, eq, inArray } from "drizzle-orm";
import { clock, now } from "../../db/expressions.ts";
import { ability, channel, model, modelPrice } from "../../db/schema/gateway-routing.ts";
import type { PriceTexts } from "../../models/model.ts";
import type { Queryable } from "../../platform/db.ts";

export type SwitchStatus = "enabled" | "disabled";

export type ModelSettings = {
  readonly displayName: string;
  readonly ownedBy: string;
  readonly kind: ModelKind;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly imageTokensMax: number;
  readonly capabilities: StatedCapability[] | null;
  readonly status: SwitchStatus;
  readonly deprecatedAt: Date | null;
  readonly sunsetAt: Date | null;
  readonly replacementModel: string | null;
};

export type StoredModel = ModelSettings & {
  readonly name: string;
  readonly archivedAt: Date | null;
  readonly updatedAt: Date;
};

/** The model, locked until the transaction ends; null when there is none. */
export async function lockModel(tx: Queryable, name: string): Promise<StoredModel | null> {
  const [row] = await tx.drizzle
    .select({
      name: model.name,
      displayName: model.displayName,
      ownedBy: model.ownedBy,
      kind: model.kind,
      contextTokensMax: model.contextTokensMax,
      outputTokensMax: model.outputTokensMax,
      imageTokensMax: model.imageTokensMax,
      capabilities: model.capabilities,
      status: model.status,
      deprecatedAt: model.deprecatedAt,
      sunsetAt: model.sunsetAt,
      replacementModel: model.replacementModel,
      archivedAt: model.archivedAt,
      updatedAt: model.updatedAt,
    })
    .from(model)
    .where(eq(model.name, name))
    .for("update");
  return row ?? null;
}

/** Changes a locked model. */
export async function updateModel(tx: Queryable, name: string, to: ModelSettings): Promise<void> {
  const { displayName, ownedBy, kind, contextTokensMax, outputTokensMax, imageTokensMax, capabilities } = to;
  const { status, deprecatedAt, sunsetAt, replacementModel } = to;
  const life = { status, deprecatedAt, sunsetAt, replacementModel };
  const limits = { contextTokensMax, outputTokensMax, imageTokensMax, capabilities };
  await tx.drizzle
    .update(model)
    .set({ displayName, ownedBy, kind, ...limits, ...life, updatedAt: clock })
    .where(eq(model.name, name));
}

/** The newest version of a model's prices; null while it has none. */
export async function findNewestPrice(tx: Queryable, name: string): Promise<PriceTexts | null> {
  const prices = Object.fromEntries(priceColumns.map((price) => [price, modelPrice[camelCase(price)]]));
  const [row] = await tx.drizzle
    .select({ version: modelPrice.version, long_prompt: modelPrice.longPrompt, ...prices })
    .from(modelPrice)
    .where(eq(modelPrice.model, name))
    .orderBy(desc(modelPrice.version))
    .limit(1);
  return (row ?? null) as PriceTexts | null;
}

export type ChannelEntry = {
  readonly id: ChannelId;
  readonly name: string;
  readonly upstream: UpstreamSettings;
  readonly status: SwitchStatus;
  readonly requestsPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly firstByteTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly passThroughPaths: readonly string[];
  readonly probeMinutes: number | null;
  readonly probeModel: string | null;
  readonly credentialSealed: Uint8Array | null;
  readonly exitNodeCode: string | null;
  readonly pinnedAddress: string | null;
  readonly archivedAt: Date | null;
  readonly updatedAt: Date;
};

export async function findChannel(db: Queryable, id: ChannelId): Promise<ChannelEntry | null> {
  const [row] = await db.drizzle
    .select({
      id: channel.id,
      name: channel.name,
      upstream: channel.upstream,
      status: channel.status,
      requestsPerMinute: channel.requestsPerMinute,
      concurrencyMax: channel.concurrencyMax,
      firstByteTimeoutMs: channel.firstByteTimeoutMs,
      idleTimeoutMs: channel.idleTimeoutMs,
      passThroughPaths: channel.passThroughPaths,
      probeMinutes: channel.probeMinutes,
      probeModel: channel.probeModel,
      credentialSealed: channel.credentialSealed,
      exitNodeCode: channel.exitNodeCode,
      pinnedAddress: channel.pinnedAddress,
      archivedAt: channel.archivedAt,
      updatedAt: channel.updatedAt,
    })
    .from(channel)
    .where(eq(channel.id, id));
  return (row ?? null) as ChannelEntry | null;
}

/** Keeps others from changing the channel until the transaction ends. */
export async function lockChannel(tx: Queryable, id: ChannelId): Promise<ChannelEntry | null> {
  await tx.drizzle.select({ id: channel.id }).from(channel).where(eq(channel.id, id)).for("update");
  return await findChannel(tx, id);
}

/** Adds a channel without a credential; null when the name is taken. */
export async function insertChannel(
  tx: Queryable,
  name: string,
  upstream: UpstreamSettings,
): Promise<ChannelId | null> {
  const [row] = await tx.drizzle
    .insert(channel)
    .values({ name, upstream, status: "disabled" })
    .onConflictDoNothing({ target: channel.name })
    .returning({ id: channel.id });
  return (row?.id ?? null) as ChannelId | null;
}

export type ChannelSettings = Pick<
  ChannelEntry,
  | "name"
  | "upstream"
  | "status"
  | "requestsPerMinute"
  | "concurrencyMax"
  | "firstByteTimeoutMs"
  | "idleTimeoutMs"
  | "passThroughPaths"
  | "probeMinutes"
  | "probeModel"
  | "credentialSealed"
>;

/** Changes a locked channel. */
export async function updateChannel(tx: Queryable, id: ChannelId, to: ChannelSettings): Promise<void> {
  const { name, upstream, status, requestsPerMinute, concurrencyMax, firstByteTimeoutMs, idleTimeoutMs } = to;
  const limits = { requestsPerMinute, concurrencyMax, firstByteTimeoutMs, idleTimeoutMs };
  const { passThroughPaths, probeMinutes, probeModel, credentialSealed } = to;
  await tx.drizzle
    .update(channel)
    .set({
      ...{ name, upstream, status, ...limits, probeMinutes, probeModel, credentialSealed, updatedAt: clock },
      passThroughPaths: [...passThroughPaths],
    })
    .where(eq(channel.id, id));
}

export type AbilitySettings = {
  readonly upstreamModel: string | null;
  readonly isEnabled: boolean;
  readonly priority: number;
  readonly weight: number;
};
export type AbilityKey = { readonly groupName: string; readonly model: string; readonly channelId: ChannelId };

const isAbility = (key: AbilityKey) =>
  and(eq(ability.groupName, key.groupName), eq(ability.model, key.model), eq(ability.channelId, key.channelId));

export async function lockAbility(tx: Queryable, key: AbilityKey): Promise<AbilitySettings | null> {
  const [row] = await tx.drizzle
    .select({
      upstreamModel: ability.upstreamModel,
      isEnabled: ability.isEnabled,
      priority: ability.priority,
      weight: ability.weight,
    })
    .from(ability)
    .where(isAbility(key))
    .for("update");
  return row ?? null;
}

export async function upsertAbility(tx: Queryable, key: AbilityKey, to: AbilitySettings): Promise<void> {
  const { upstreamModel, isEnabled, priority, weight } = to;
  const { groupName, model: served, channelId } = key;
  await tx.drizzle
    .insert(ability)
    .values({ groupName, model: served, channelId, upstreamModel, isEnabled, priority, weight })
    .onConflictDoUpdate({
      target: [ability.groupName, ability.model, ability.channelId],
      set: { upstreamModel, isEnabled, priority, weight, updatedAt: now },
    });
}

/** A model as calls name it, and as the provider does; null for the same name. */
export type ServedModel = { readonly model: string; readonly upstreamModel: string | null; readonly kind: ModelKind };

/** The first model that a channel serves, or how it serves the named one; null if it does not. */
export async function findServedModel(db: Queryable, id: ChannelId, name: string | null): Promise<ServedModel | null> {
  const [row] = await db.drizzle
    .select({ model: ability.model, upstreamModel: ability.upstreamModel, kind: model.kind })
    .from(ability)
    .innerJoin(model, eq(model.name, ability.model))
    .where(and(eq(ability.channelId, id), name === null ? undefined : eq(ability.model, name)))
    .orderBy(desc(ability.isEnabled), asc(ability.priority), asc(ability.model))
    .limit(1);
  return row ?? null;
}

/** Those of the names that the catalog has. */
export async function findModelNames(db: Queryable, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.drizzle
    .select({ name: model.name })
    .from(model)
    .where(inArray(model.name, [...names]));
  return new Set(rows.map(({ name }) => name));
}
