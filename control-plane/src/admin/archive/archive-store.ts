import { and, arrayContains, eq, gt, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { clock, countOfRows } from "../../db/expressions.ts";
import { plan, salesOrder, subscription } from "../../db/schema/billing.ts";
import { codeBatch } from "../../db/schema/codes.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import { ability, channel, channelCredential, model, modelFallback } from "../../db/schema/gateway-routing.ts";
import { messagesModel } from "../../db/schema/messages.ts";
import { renewal } from "../../db/schema/renewals.ts";
import type { Queryable } from "../../platform/db.ts";

/** A thing that can be archived, locked until the transaction ends. */
export type Archivable = { readonly name: string; readonly archivedAt: Date | null };

/** How many rows there are of each kind that refers to it. */
export type Counts = Readonly<Record<string, number>>;

export async function lockChannelRow(tx: Queryable, id: bigint): Promise<Archivable | null> {
  const [row] = await tx.drizzle
    .select({ name: channel.name, archivedAt: channel.archivedAt })
    .from(channel)
    .where(eq(channel.id, id))
    .for("update");
  return row ?? null;
}

export async function countOfChannel(tx: Queryable, id: bigint): Promise<Counts> {
  const abilities = await tx.drizzle.select({ rows: countOfRows }).from(ability).where(eq(ability.channelId, id));
  const credentials = await tx.drizzle
    .select({ rows: countOfRows })
    .from(channelCredential)
    .innerJoin(channel, eq(channel.id, channelCredential.channelId))
    .where(
      and(
        eq(channelCredential.channelId, id),
        or(sql`${channelCredential.secretSealed} is not null`, sql`${channel.credentialSealed} is not null`),
      ),
    );
  const nodes = await tx.drizzle
    .select({ rows: countOfRows })
    .from(channel)
    .where(and(eq(channel.id, id), sql`${channel.exitNodeCode} is not null`));
  return { abilities: rowsOf(abilities), credentials: rowsOf(credentials), exit_node: rowsOf(nodes) };
}

/** Its credentials are destroyed. Its name is free for another channel. */
export async function archiveChannel(tx: Queryable, id: bigint, name: string): Promise<void> {
  await tx.drizzle.delete(ability).where(eq(ability.channelId, id));
  await tx.drizzle
    .delete(channelCredential)
    .where(and(eq(channelCredential.channelId, id), sql`${channelCredential.secretSealed} is not null`));
  await tx.drizzle
    .update(channel)
    .set({ name, status: "disabled", credentialSealed: null, archivedAt: clock, updatedAt: clock })
    .where(eq(channel.id, id));
}

export async function restoreChannel(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle.update(channel).set({ archivedAt: null, updatedAt: clock }).where(eq(channel.id, id));
}

export async function lockModelRow(tx: Queryable, name: string): Promise<Archivable | null> {
  const [row] = await tx.drizzle
    .select({ name: model.name, archivedAt: model.archivedAt })
    .from(model)
    .where(eq(model.name, name))
    .for("update");
  return row ?? null;
}

export async function countOfModel(tx: Queryable, name: string): Promise<Counts> {
  const abilities = await tx.drizzle.select({ rows: countOfRows }).from(ability).where(eq(ability.model, name));
  const rules = await tx.drizzle.select({ rows: countOfRows }).from(modelFallback).where(eq(modelFallback.model, name));
  const targets = await tx.drizzle
    .select({ rows: countOfRows })
    .from(modelFallback)
    .where(
      and(
        ne(modelFallback.model, name),
        or(arrayContains(modelFallback.fallbackModels, [name]), eq(modelFallback.largerModel, name)),
      ),
    );
  const replacements = await tx.drizzle
    .select({ rows: countOfRows })
    .from(model)
    .where(and(eq(model.replacementModel, name), isNull(model.archivedAt)));
  const mapped = await tx.drizzle
    .select({ rows: countOfRows })
    .from(messagesModel)
    .where(and(eq(messagesModel.upstreamModel, name), eq(messagesModel.isEnabled, true)));
  const keys = await tx.drizzle
    .select({ rows: countOfRows })
    .from(apiKey)
    .where(and(arrayContains(apiKey.allowedModels, [name]), ne(apiKey.status, "revoked")));
  return {
    abilities: rowsOf(abilities),
    fallback_rules: rowsOf(rules),
    fallback_targets: rowsOf(targets),
    replacements: rowsOf(replacements),
    mapped_names: rowsOf(mapped),
    allowed_keys: rowsOf(keys),
  };
}

export async function archiveModel(tx: Queryable, name: string): Promise<void> {
  await tx.drizzle.delete(ability).where(eq(ability.model, name));
  await tx.drizzle.delete(modelFallback).where(eq(modelFallback.model, name));
  await tx.drizzle
    .update(model)
    .set({ status: "disabled", replacementModel: null, archivedAt: clock, updatedAt: clock })
    .where(eq(model.name, name));
}

export async function restoreModel(tx: Queryable, name: string): Promise<void> {
  await tx.drizzle.update(model).set({ archivedAt: null, updatedAt: clock }).where(eq(model.name, name));
}

export async function lockPlanRow(tx: Queryable, code: string): Promise<Archivable | null> {
  const [row] = await tx.drizzle
    .select({ name: plan.name, archivedAt: plan.archivedAt })
    .from(plan)
    .where(eq(plan.planCode, code))
    .for("update");
  return row ?? null;
}

export async function countOfPlan(tx: Queryable, code: string): Promise<Counts> {
  const months = await tx.drizzle
    .select({ rows: countOfRows })
    .from(subscription)
    .where(and(eq(subscription.planCode, code), eq(subscription.status, "active")));
  const orders = await tx.drizzle
    .select({ rows: countOfRows })
    .from(salesOrder)
    .where(and(eq(salesOrder.planCode, code), eq(salesOrder.status, "pending")));
  const renewals = await tx.drizzle
    .select({ rows: countOfRows })
    .from(renewal)
    .where(and(eq(renewal.planCode, code), inArray(renewal.status, ["pending", "active", "past_due"])));
  const batches = await tx.drizzle
    .select({ rows: countOfRows })
    .from(codeBatch)
    .where(
      and(
        eq(codeBatch.planCode, code),
        isNull(codeBatch.revokedAt),
        or(isNull(codeBatch.expiresAt), gt(codeBatch.expiresAt, sql`now()`)),
      ),
    );
  return {
    sold_months: rowsOf(months),
    open_orders: rowsOf(orders),
    renewals: rowsOf(renewals),
    open_codes: rowsOf(batches),
  };
}

export async function archivePlan(tx: Queryable, code: string): Promise<void> {
  await tx.drizzle
    .update(plan)
    .set({ status: "hidden", archivedAt: clock, version: sql`${plan.version} + 1`, updatedAt: clock })
    .where(eq(plan.planCode, code));
}

export async function restorePlan(tx: Queryable, code: string): Promise<void> {
  await tx.drizzle
    .update(plan)
    .set({ archivedAt: null, version: sql`${plan.version} + 1`, updatedAt: clock })
    .where(eq(plan.planCode, code));
}

export function rowsOf([row]: readonly { readonly rows: number }[]): number {
  return row?.rows ?? 0;
}
