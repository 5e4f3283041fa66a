import type { Dialect } from "@sluice/contracts/upstreams";
import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { isSet, now } from "../../db/expressions.ts";
import { ability, channel, model, modelFallback, modelPrice } from "../../db/schema/gateway-routing.ts";
import { userGroup } from "../../db/schema/groups.ts";
import { isUpstreamUsable, wayTo } from "../../gateway/channels/channels.ts";
import type { Queryable } from "../../platform/db.ts";
import type { AbilityFacts, FallbackFacts, ModelFacts, RouteFacts } from "./model.ts";

const abilitiesMax = 1_000;

type Place = { readonly model: string; readonly groupName: string; readonly api: Dialect };

/** What is known about a model, for calls of a group in an API. */
export async function readRoute(db: Queryable, { model: name, groupName, api }: Place): Promise<RouteFacts> {
  return {
    isMappingDisabled: false,
    isGroupKnown: await hasGroup(db, groupName),
    model: await findModel(db, name),
    abilities: await selectAbilities(db, name, api),
  };
}

/** The rule of the group, or else that of all groups, with what is known about its models; null if there is none. */
export async function findFallbacks(db: Queryable, place: Place): Promise<FallbackFacts | null> {
  const rules = await db.drizzle
    .select()
    .from(modelFallback)
    .where(
      and(
        eq(modelFallback.model, place.model),
        or(eq(modelFallback.groupName, place.groupName), isNull(modelFallback.groupName)),
      ),
    );
  const rule = rules.find(({ groupName }) => groupName !== null) ?? rules[0];
  if (rule === undefined) {
    return null;
  }
  const larger = rule.largerModel === null ? [] : [{ name: rule.largerModel, isLarger: true }];
  const named = [...rule.fallbackModels.map((name) => ({ name, isLarger: false })), ...larger];
  const models: FallbackFacts["models"][number][] = [];
  for (const each of named) {
    models.push({ ...each, facts: await readRoute(db, { ...place, model: each.name }) });
  }
  return { isOfGroup: rule.groupName !== null, isForEveryKey: rule.isForEveryKey, models };
}

async function hasGroup(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.drizzle.select({ name: userGroup.name }).from(userGroup).where(eq(userGroup.name, name));
  return rows.length > 0;
}

async function findModel(db: Queryable, name: string): Promise<ModelFacts | null> {
  const price = db.drizzle
    .select({ version: modelPrice.version })
    .from(modelPrice)
    .where(and(eq(modelPrice.model, model.name), lte(modelPrice.validFrom, now)));
  const [row] = await db.drizzle
    .select({ status: model.status, hasPrice: sql<boolean>`exists (${price})` })
    .from(model)
    .where(eq(model.name, name));
  return row === undefined ? null : { isEnabled: row.status === "enabled", hasPrice: row.hasPrice };
}

/** The abilities of all groups, in the order that the gateway uses. */
async function selectAbilities(db: Queryable, name: string, api: Dialect): Promise<AbilityFacts[]> {
  const rows = await db.drizzle
    .select({
      groupName: ability.groupName,
      channelId: ability.channelId,
      channelName: channel.name,
      exitNodeCode: channel.exitNodeCode,
      upstream: channel.upstream,
      status: channel.status,
      hasCredential: isSet(channel.credentialSealed),
      isEnabled: ability.isEnabled,
      priority: ability.priority,
      weight: ability.weight,
    })
    .from(ability)
    .innerJoin(channel, eq(channel.id, ability.channelId))
    .where(eq(ability.model, name))
    .orderBy(asc(ability.priority), asc(ability.channelId), asc(ability.groupName))
    .limit(abilitiesMax);
  return rows.map(({ upstream, status, ...row }) => ({
    ...row,
    isChannelEnabled: status === "enabled",
    isAddressUsable: isUpstreamUsable(upstream),
    way: wayTo(upstream, api),
  }));
}
