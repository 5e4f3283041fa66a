import { eq } from "drizzle-orm";
import { now } from "../../../db/expressions.ts";
import { priceData } from "../../../db/schema/price-data.ts";
import type { Queryable } from "../../../platform/db.ts";
import type { StoredData } from "../proposals/price-data.ts";
import type { PricedProvider } from "./read-price-file.ts";

type PriceDataRow = typeof priceData.$inferSelect;
export type StoredPrices = {
  readonly providers: readonly PricedProvider[];
  readonly kind: "upload" | "url";
  readonly name: string;
  readonly storedBy: string;
};

/** Null if nothing was ever stored or set. */
export async function findPriceData(db: Queryable): Promise<PriceDataRow | null> {
  const [row] = await db.drizzle.select().from(priceData);
  return row ?? null;
}

/** The stored prices, for the proposals; null for those that the program ships with. */
export function toStoredData(row: PriceDataRow | null): StoredData | null {
  const providers = (row?.providers ?? null) as PricedProvider[] | null;
  const day = row?.storedAt?.toISOString().slice(0, 10) ?? "";
  return row === null || providers === null ? null : { providers, origin: `${row.name ?? ""} of ${day}` };
}

/** Replaces the stored prices; null returns to those that the program ships with. */
export async function storePrices(db: Queryable, prices: StoredPrices | null, etag: string | null): Promise<void> {
  const models = prices?.providers.reduce((sum, provider) => sum + provider.models.length, 0) ?? 0;
  const stored = {
    providers: prices?.providers ?? null,
    kind: prices?.kind ?? null,
    name: prices?.name ?? null,
    providersCount: prices?.providers.length ?? 0,
    modelsCount: models,
    storedAt: prices === null ? null : now,
    storedBy: prices?.storedBy ?? null,
    etag,
  };
  await db.drizzle.insert(priceData).values(stored).onConflictDoUpdate({ target: priceData.id, set: stored });
}

/** A new address means another file, whose version is not known yet. */
export async function storeUrl(db: Queryable, url: string | null): Promise<void> {
  const set = { url, etag: null, checkedAt: null, isCheckOk: null, checkResult: null };
  await db.drizzle.insert(priceData).values(set).onConflictDoUpdate({ target: priceData.id, set });
}

export async function storeCheck(db: Queryable, isOk: boolean, result: string): Promise<void> {
  const set = { checkedAt: now, isCheckOk: isOk, checkResult: result.slice(0, 500) };
  await db.drizzle.update(priceData).set(set).where(eq(priceData.id, true));
}
