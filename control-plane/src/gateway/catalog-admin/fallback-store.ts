import { and, eq, inArray, isNull } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { model, modelFallback } from "../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../platform/db.ts";

/** The model and the group of the callers; null for all groups. */
export type FallbackPlace = { readonly model: string; readonly groupName: string | null };

export type StoredFallbacks = Pick<
  typeof modelFallback.$inferSelect,
  "fallbackModels" | "largerModel" | "isForEveryKey"
>;

const isAt = ({ model: name, groupName }: FallbackPlace) =>
  and(
    eq(modelFallback.model, name),
    groupName === null ? isNull(modelFallback.groupName) : eq(modelFallback.groupName, groupName),
  );

/** The rule, locked until the transaction ends; null if there is none. */
export async function lockFallbacks(tx: Queryable, place: FallbackPlace): Promise<StoredFallbacks | null> {
  const { fallbackModels, largerModel, isForEveryKey } = modelFallback;
  const [row] = await tx.drizzle
    .select({ fallbackModels, largerModel, isForEveryKey })
    .from(modelFallback)
    .where(isAt(place))
    .for("update");
  return row ?? null;
}

export async function upsertFallbacks(tx: Queryable, place: FallbackPlace, to: StoredFallbacks): Promise<void> {
  await tx.drizzle
    .insert(modelFallback)
    .values({ ...place, ...to })
    .onConflictDoUpdate({
      target: [modelFallback.groupName, modelFallback.model],
      set: { ...to, updatedAt: now },
    });
}

export async function deleteFallbacks(tx: Queryable, place: FallbackPlace): Promise<void> {
  await tx.drizzle.delete(modelFallback).where(isAt(place));
}

export type FallbackModel = Pick<typeof model.$inferSelect, "name" | "kind" | "contextTokensMax">;

export async function findFallbackModels(tx: Queryable, names: readonly string[]): Promise<FallbackModel[]> {
  return await tx.drizzle
    .select({ name: model.name, kind: model.kind, contextTokensMax: model.contextTokensMax })
    .from(model)
    .where(inArray(model.name, [...names]));
}
