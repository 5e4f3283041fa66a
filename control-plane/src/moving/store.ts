import type { GatewayUserId } from "@sluice/contracts/ids";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { clock, excluded, isSet } from "../db/expressions.ts";
import { userProfile } from "../db/schema/accounts.ts";
import { accountClosing } from "../db/schema/closing.ts";
import { modelPrice } from "../db/schema/gateway-routing.ts";
import { userGroup } from "../db/schema/groups.ts";
import { importedCall, importedUsage, importItem, importSource } from "../db/schema/moving.ts";
import type { Queryable } from "../platform/db.ts";
import type { Program } from "./model.ts";

export type ItemKind = typeof importItem.$inferInsert.kind;

/** What was made of a row. */
export type Item = {
  readonly sourceId: string;
  readonly digest: Uint8Array;
  readonly target: string;
  readonly gatewayUserId: GatewayUserId | null;
  readonly movedQuota: bigint | null;
  readonly writtenAt: Date;
};

/** The source of this name, created if it is new. Other runs on it wait until this transaction ends. */
export async function lockSource(
  tx: Queryable,
  instance: string,
  program: Program,
): Promise<{ readonly program: Program; readonly cutOverAt: Date | null }> {
  await tx.drizzle.insert(importSource).values({ instance, program }).onConflictDoNothing();
  const [row] = await tx.drizzle
    .select({ program: importSource.program, cutOverAt: importSource.cutOverAt })
    .from(importSource)
    .where(eq(importSource.instance, instance))
    .for("update");
  if (row === undefined) {
    throw new Error("the source was not inserted");
  }
  return row;
}

export async function markCutOver(tx: Queryable, instance: string): Promise<void> {
  await tx.drizzle
    .update(importSource)
    .set({ cutOverAt: clock, updatedAt: clock })
    .where(eq(importSource.instance, instance));
}

export type PriceHere = {
  readonly prices: Readonly<
    Record<"input_usd_per_m" | "output_usd_per_m" | "cache_read_usd_per_m" | "request_usd", string | null>
  >;
  /** Of every group, by its name. */
  readonly multipliers: ReadonlyMap<string, string>;
};

/** The newest prices of these models. */
export async function listPricesHere(
  db: Queryable,
  models: readonly string[],
): Promise<ReadonlyMap<string, PriceHere>> {
  const groups = await db.drizzle.select({ name: userGroup.name, multiplier: userGroup.multiplier }).from(userGroup);
  const multipliers = new Map(groups.map(({ name, multiplier }) => [name, multiplier]));
  const rows = await db.drizzle
    .selectDistinctOn([modelPrice.model], {
      model: modelPrice.model,
      input_usd_per_m: modelPrice.inputUsdPerM,
      output_usd_per_m: modelPrice.outputUsdPerM,
      cache_read_usd_per_m: modelPrice.cacheReadUsdPerM,
      request_usd: modelPrice.requestUsd,
    })
    .from(modelPrice)
    .where(inArray(modelPrice.model, [...models]))
    .orderBy(modelPrice.model, desc(modelPrice.version));
  return new Map(rows.map(({ model, ...prices }) => [model, { prices, multipliers }]));
}

/** All that was made of one kind of rows, by their ids there. */
export async function listItems(tx: Queryable, instance: string, kind: ItemKind): Promise<ReadonlyMap<string, Item>> {
  const rows = await tx.drizzle
    .select({
      sourceId: importItem.sourceId,
      digest: importItem.digest,
      target: importItem.target,
      gatewayUserId: importItem.gatewayUserId,
      movedQuota: importItem.movedQuota,
      writtenAt: importItem.writtenAt,
    })
    .from(importItem)
    .where(and(eq(importItem.instance, instance), eq(importItem.kind, kind)));
  return new Map(rows.map((row) => [row.sourceId, row as Item]));
}

export async function putItem(
  tx: Queryable,
  instance: string,
  kind: ItemKind,
  { writtenAt, ...item }: Omit<Item, "writtenAt"> & { readonly writtenAt: Date | null },
): Promise<void> {
  await tx.drizzle
    .insert(importItem)
    .values({ ...item, instance, kind, writtenAt: writtenAt ?? sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: [importItem.instance, importItem.kind, importItem.sourceId],
      set: {
        digest: excluded(importItem.digest),
        target: excluded(importItem.target),
        gatewayUserId: excluded(importItem.gatewayUserId),
        movedQuota: excluded(importItem.movedQuota),
        writtenAt: excluded(importItem.writtenAt),
      },
    });
}

/**
 * Keeps these accounts from being closed until the transaction ends: what it writes for them is erased when they are.
 * Their owners can keep using them.
 * @returns those that have been closed; users who were deleted there have the same status, but have closed nothing here
 */
export async function lockAccounts(
  tx: Queryable,
  accounts: readonly GatewayUserId[],
): Promise<ReadonlySet<GatewayUserId>> {
  const isOne = inArray(userProfile.gatewayUserId, [...new Set(accounts)]);
  await tx.drizzle
    .select({ id: userProfile.id })
    .from(userProfile)
    .where(isOne)
    .orderBy(userProfile.id)
    .for("key share");
  const rows = await tx.drizzle
    .select({ gatewayUserId: userProfile.gatewayUserId })
    .from(userProfile)
    .innerJoin(accountClosing, eq(accountClosing.userId, userProfile.id))
    .where(and(isOne, isSet(accountClosing.doneAt)));
  return new Set(rows.map(({ gatewayUserId }) => gatewayUserId as GatewayUserId));
}

type UsageRow = Omit<typeof importedUsage.$inferInsert, "id" | "instance">;

/** Writes sums of usage in place of those of the same account, day and model. @returns how many are new, and how many differ */
export async function putUsage(
  tx: Queryable,
  instance: string,
  rows: readonly UsageRow[],
): Promise<{ readonly made: number; readonly changed: number }> {
  const sums = ["calls", "inputTokens", "outputTokens", "quota"] as const;
  const differs = sums.map((name) => sql`${importedUsage[name]} <> ${excluded(importedUsage[name])}`);
  const written = await tx.drizzle
    .insert(importedUsage)
    .values(rows.map((row) => ({ ...row, instance })))
    .onConflictDoUpdate({
      target: [importedUsage.gatewayUserId, importedUsage.instance, importedUsage.day, importedUsage.model],
      set: Object.fromEntries(sums.map((name) => [name, excluded(importedUsage[name])])),
      setWhere: sql.join(differs, sql` or `),
    })
    // A row that this statement has inserted was never locked by another one.
    .returning({ isNew: sql<boolean>`xmax = 0` });
  const made = written.filter(({ isNew }) => isNew).length;
  return { made, changed: written.length - made };
}

/** Adds single calls. One that was moved before stays as it is. @returns how many are new */
export async function putCalls(
  tx: Queryable,
  rows: readonly Omit<typeof importedCall.$inferInsert, "id">[],
): Promise<number> {
  const written = await tx.drizzle
    .insert(importedCall)
    .values([...rows])
    .onConflictDoNothing()
    .returning({ id: importedCall.id });
  return written.length;
}

export type UsageSum = {
  readonly calls: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly quota: bigint;
};

/** All that was moved of the history of calls. */
export async function sumUsage(db: Queryable, instance: string): Promise<UsageSum> {
  const total = (column: PgColumn) => sql<bigint>`coalesce(sum(${column}), 0)::bigint`;
  const [row] = await db.drizzle
    .select({
      calls: total(importedUsage.calls),
      inputTokens: total(importedUsage.inputTokens),
      outputTokens: total(importedUsage.outputTokens),
      quota: total(importedUsage.quota),
    })
    .from(importedUsage)
    .where(eq(importedUsage.instance, instance));
  if (row === undefined) {
    throw new Error("a sum without a row");
  }
  return row;
}
