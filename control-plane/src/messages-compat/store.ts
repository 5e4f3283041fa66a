import { and, asc, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { now, plusOne } from "../db/expressions.ts";
import { ability, model as catalogModel, channel } from "../db/schema/gateway-routing.ts";
import { messagesModel } from "../db/schema/messages.ts";
import type { Queryable } from "../platform/db.ts";
import type { MappedModel, ServedModel } from "./model.ts";

const columns = {
  name: messagesModel.name,
  displayName: messagesModel.displayName,
  upstreamModel: messagesModel.upstreamModel,
  flags: messagesModel.flags,
  isEnabled: messagesModel.isEnabled,
  releasedAt: messagesModel.releasedAt,
  version: messagesModel.version,
};

/** The whole map, newest models first. */
export async function listMappedModels(db: Queryable): Promise<MappedModel[]> {
  return await db.drizzle
    .select(columns)
    .from(messagesModel)
    .orderBy(desc(messagesModel.releasedAt), asc(messagesModel.name));
}

/** The models of the catalog that channels serve, and how they are called in the Messages API. */
export async function listServedModels(db: Queryable): Promise<ServedModel[]> {
  const speaks = sql<boolean>`bool_or(${channel.upstream} -> 'dialects' ? 'messages')`;
  const converts = sql<boolean>`bool_or(${channel.upstream} -> 'dialects' ?| array['messages', 'chat'])`;
  const groups = db.drizzle
    .select({ model: ability.model, speaks: speaks.as("speaks"), converts: converts.as("converts") })
    .from(ability)
    .innerJoin(channel, eq(channel.id, ability.channelId))
    .where(and(eq(ability.isEnabled, true), eq(channel.status, "enabled"), ne(ability.isExitNode, true)))
    .groupBy(ability.model, ability.groupName)
    .as("groups");
  const { name, displayName, createdAt, contextTokensMax, outputTokensMax } = catalogModel;
  return await db.drizzle
    .select({
      ...{ name, displayName, createdAt, contextTokensMax, outputTokensMax },
      isNative: sql<boolean>`bool_and(${groups.speaks})`,
      isReachable: sql<boolean>`${catalogModel.kind} = 'chat' and bool_or(${groups.converts})`,
    })
    .from(groups)
    .innerJoin(catalogModel, eq(catalogModel.name, groups.model))
    .groupBy(name);
}

/** Those of the names that are models of the catalog, too. */
export async function findCatalogNames(db: Queryable, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.drizzle
    .select({ name: catalogModel.name })
    .from(catalogModel)
    .where(inArray(catalogModel.name, [...names]));
  return new Set(rows.map(({ name }) => name));
}

/** The entry of a name; null when there is none. */
export async function findMappedModel(db: Queryable, name: string): Promise<MappedModel | null> {
  const [row] = await db.drizzle.select(columns).from(messagesModel).where(eq(messagesModel.name, name));
  return row ?? null;
}

/** The entry, locked until the transaction ends; null when there is none. */
export async function lockMappedModel(tx: Queryable, name: string): Promise<MappedModel | null> {
  const [row] = await tx.drizzle.select(columns).from(messagesModel).where(eq(messagesModel.name, name)).for("update");
  return row ?? null;
}

/** Adds an entry with version 1; null when the name is taken. */
export async function insertMappedModel(
  tx: Queryable,
  model: Omit<MappedModel, "version">,
): Promise<MappedModel | null> {
  const [row] = await tx.drizzle
    .insert(messagesModel)
    .values({ ...model })
    .onConflictDoNothing({ target: messagesModel.name })
    .returning(columns);
  return row ?? null;
}

/** Changes an existing entry and increments its version. */
export async function updateMappedModel(tx: Queryable, model: Omit<MappedModel, "version">): Promise<MappedModel> {
  const { name, ...to } = model;
  const [row] = await tx.drizzle
    .update(messagesModel)
    .set({ ...to, version: plusOne(messagesModel.version), updatedAt: now })
    .where(eq(messagesModel.name, name))
    .returning(columns);
  if (row === undefined) {
    throw new Error("the entry of the model map is gone");
  }
  return row;
}
