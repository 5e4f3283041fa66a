import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { and, asc, eq, lte, sql } from "drizzle-orm";
import { isSet, now } from "../../db/expressions.ts";
import { ability, channel, model, modelPrice } from "../../db/schema/gateway-routing.ts";
import { messagesModel } from "../../db/schema/messages.ts";
import type { Queryable } from "../../platform/db.ts";
import type { AbilityFacts, RouteFacts } from "./model.ts";

const abilitiesMax = 1_000;

/** The entry of the model map; null when there is none. */
export async function findMapping(db: Queryable, name: string): Promise<RouteFacts["mapping"]> {
  const [row] = await db.drizzle
    .select({ upstreamModel: messagesModel.upstreamModel, isEnabled: messagesModel.isEnabled })
    .from(messagesModel)
    .where(eq(messagesModel.name, name));
  return row ?? null;
}

export async function findModel(db: Queryable, name: string): Promise<RouteFacts["model"]> {
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
export async function selectAbilities(
  db: Queryable,
  name: string,
  isUpstreamUsable: (upstream: UpstreamSettings) => boolean,
): Promise<AbilityFacts[]> {
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
  }));
}
