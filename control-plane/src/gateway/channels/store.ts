import type { ChannelId } from "@sluice/contracts/ids";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { and, asc, eq, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { ability, channel, channelProbe, modelFallback } from "../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../platform/db.ts";

export type ChannelRow = {
  id: bigint;
  name: string;
  upstream: UpstreamSettings;
  credential_sealed: Uint8Array | null;
  requests_per_minute: number | null;
  concurrency_max: number | null;
  first_byte_timeout_ms: number | null;
  idle_timeout_ms: number | null;
  exit_node_code: string | null;
  pinned_address: string | null;
  pass_through_paths: string[];
  is_resting: boolean;
};

export type AbilityRow = {
  group_name: string;
  model: string;
  channel_id: bigint;
  upstream_model: string | null;
  priority: number;
  weight: number;
};

/** A rest ends with the tests, because nothing else would end it: when they are turned off, or the fourth in a row does not come. */
const isResting = sql<boolean>`${channelProbe.restedAt} is not null and ${channel.probeMinutes} is not null
  and ${channelProbe.probedAt} > now() - make_interval(mins => ${channel.probeMinutes} * 3 + 1)`.mapWith(Boolean);

export async function findChannelNames(db: Queryable): Promise<string[]> {
  const rows = await db.drizzle.select({ name: channel.name }).from(channel);
  return rows.map(({ name }) => name);
}

export async function listEnabledChannels(db: Queryable): Promise<ChannelRow[]> {
  return await db.drizzle
    .select({
      id: channel.id,
      name: channel.name,
      upstream: channel.upstream,
      credential_sealed: channel.credentialSealed,
      requests_per_minute: channel.requestsPerMinute,
      concurrency_max: channel.concurrencyMax,
      first_byte_timeout_ms: channel.firstByteTimeoutMs,
      idle_timeout_ms: channel.idleTimeoutMs,
      exit_node_code: channel.exitNodeCode,
      pinned_address: channel.pinnedAddress,
      pass_through_paths: channel.passThroughPaths,
      is_resting: isResting,
    })
    .from(channel)
    .leftJoin(channelProbe, eq(channelProbe.channelId, channel.id))
    .where(eq(channel.status, "enabled"))
    .orderBy(asc(channel.id));
}

export async function listEnabledAbilities(db: Queryable): Promise<AbilityRow[]> {
  return await db.drizzle
    .select({
      group_name: ability.groupName,
      model: ability.model,
      channel_id: ability.channelId,
      upstream_model: ability.upstreamModel,
      priority: ability.priority,
      weight: ability.weight,
    })
    .from(ability)
    .innerJoin(channel, eq(channel.id, ability.channelId))
    .where(and(eq(ability.isEnabled, true), eq(channel.status, "enabled")))
    .orderBy(asc(ability.priority), asc(ability.channelId));
}

export type FallbackRow = Pick<
  typeof modelFallback.$inferSelect,
  "groupName" | "model" | "fallbackModels" | "largerModel" | "isForEveryKey"
>;

export async function listFallbacks(db: Queryable): Promise<FallbackRow[]> {
  const { groupName, model, fallbackModels, largerModel, isForEveryKey } = modelFallback;
  return await db.drizzle.select({ groupName, model, fallbackModels, largerModel, isForEveryKey }).from(modelFallback);
}

/** Creates a channel, or changes how it is called; returns its id. */
export async function saveChannel(db: Queryable, name: string, upstream: UpstreamSettings): Promise<ChannelId> {
  const [row] = await db.drizzle
    .insert(channel)
    .values({ name, upstream })
    .onConflictDoUpdate({ target: channel.name, set: { upstream, updatedAt: now } })
    .returning({ id: channel.id });
  if (row === undefined) {
    throw new Error(`channel ${name} was not saved`);
  }
  return row.id as ChannelId;
}

export async function setChannelCredential(db: Queryable, id: ChannelId, sealed: Uint8Array): Promise<void> {
  await db.drizzle.update(channel).set({ credentialSealed: sealed, updatedAt: now }).where(eq(channel.id, id));
}

export async function clearChannelCredential(db: Queryable, id: ChannelId): Promise<void> {
  await db.drizzle.update(channel).set({ credentialSealed: null, updatedAt: now }).where(eq(channel.id, id));
}

/** Removes the channel's abilities. @returns how many models it served */
export async function disableAbilities(db: Queryable, id: ChannelId): Promise<number> {
  const rows = await db.drizzle
    .update(ability)
    .set({ isEnabled: false, updatedAt: now })
    .where(and(eq(ability.channelId, id), eq(ability.isEnabled, true)))
    .returning({ model: ability.model });
  return rows.length;
}

export async function saveAbility(
  db: Queryable,
  made: { groupName: string; model: string; channelId: ChannelId; priority: number; weight: number },
): Promise<void> {
  const { groupName, model, channelId, priority, weight } = made;
  await db.drizzle
    .insert(ability)
    .values({ groupName, model, channelId, priority, weight })
    .onConflictDoUpdate({
      target: [ability.groupName, ability.model, ability.channelId],
      set: { priority, weight, isEnabled: true, updatedAt: now },
    });
}
