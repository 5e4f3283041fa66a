import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type CountedUnits, exactCost, type PriceTexts } from "../calls/priced-usage.ts";
import { patienceMs } from "../values/patience.ts";

/** A usage row with the texts of the price version that it names. */
export type SettledRow = CountedUnits & {
  readonly requestId: string;
  readonly model: string | null;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly usageSource: "provider" | "estimated" | "none";
  readonly priceVersion: number | null;
  readonly rateMultiplier: string;
  readonly quota: bigint;
  readonly quotaHeld: bigint;
  readonly price: PriceTexts;
};

/** The rows of one user, oldest first. */
export async function readSettledRows(db: Database, gatewayUserId: bigint): Promise<SettledRow[]> {
  const rows = await db.sql<SettledRow>`
    select request_id::text as "requestId", u.model, outcome, error_code as "errorCode", usage_source as "usageSource",
      price_version as "priceVersion", rate_multiplier::text as "rateMultiplier", quota, quota_held as "quotaHeld",
      input_tokens as "inputTokens", output_tokens as "outputTokens", cache_read_tokens as "cacheReadTokens",
      cache_write_tokens as "cacheWriteTokens", reasoning_tokens as "reasoningTokens", images, audio_ms as "audioMs",
      coalesce(cache_write_1h_tokens, 0) as "cacheWrite1hTokens", coalesce(searches, 0) as searches,
      jsonb_build_object('version', p.version, 'input_usd_per_m', input_usd_per_m::text,
        'output_usd_per_m', output_usd_per_m::text, 'cache_read_usd_per_m', cache_read_usd_per_m::text,
        'cache_write_usd_per_m', cache_write_usd_per_m::text, 'reasoning_usd_per_m', reasoning_usd_per_m::text,
        'request_usd', request_usd::text, 'image_usd', image_usd::text, 'second_usd', second_usd::text,
        'cache_write_1h_usd_per_m', cache_write_1h_usd_per_m::text, 'search_usd_per_k', search_usd_per_k::text,
        'long_prompt', long_prompt) as price
    from usage_log u join model_price p on p.model = u.model and p.version = u.price_version
    where gateway_user_id = ${gatewayUserId}::bigint order by started_at, request_id`;
  // A plain array: matchers judge the driver's own kind of array differently.
  return [...rows];
}

/** Waits until so many rows of a user are there. */
export async function waitForSettledRows(db: Database, gatewayUserId: bigint, count: number): Promise<SettledRow[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const rows = await readSettledRows(db, gatewayUserId);
    if (rows.length >= count) {
      return rows;
    }
    if (performance.now() > deadline) {
      throw new Error(`${rows.length} of ${count} rows were there after ${patienceMs} ms`);
    }
    await Bun.sleep(20);
  }
}

/** What a row should cost by its own units and price version, whatever it says. */
export function recomputedCost(row: SettledRow): bigint {
  return row.usageSource === "none" ? 0n : exactCost(row, row.price);
}
