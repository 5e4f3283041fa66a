import { applyMultiplier, type Decimal, scaledToDecimal } from "@sluice/contracts/money";
import type { ReceiptLine, UsageReceipt } from "@sluice/contracts/usage";
import { type CostLine, costLines, toQuota } from "../../models/cost.ts";
import { toPriceVersion } from "../../models/model.ts";
import type { Attempt } from "../log/model.ts";
import type { PricedCall } from "./views-store.ts";

const pricePlaces = 8;
const amountPlaces = 14;

const kinds: Record<CostLine["unit"], Pick<ReceiptLine, "count_unit" | "price_per">> = {
  input: { count_unit: "token", price_per: "million_tokens" },
  cacheRead: { count_unit: "token", price_per: "million_tokens" },
  cacheWrite: { count_unit: "token", price_per: "million_tokens" },
  output: { count_unit: "token", price_per: "million_tokens" },
  reasoning: { count_unit: "token", price_per: "million_tokens" },
  request: { count_unit: "request", price_per: "request" },
  image: { count_unit: "image", price_per: "image" },
  second: { count_unit: "millisecond", price_per: "second" },
};

const names: Record<CostLine["unit"], string> = {
  input: "input",
  cacheRead: "cache_read",
  cacheWrite: "cache_write",
  output: "output",
  reasoning: "reasoning",
  request: "request",
  image: "image",
  second: "audio",
};

/** Results that say something of the operator's dealings with a provider, and nothing that the user could act upon. */
const privateResult = /credential/;

/** How the cost of a call came about, recomputed from the units and the prices that its row names. */
export function toReceipt({ view, attempts, prices }: PricedCall): UsageReceipt {
  const isCharged = view.usage_source !== "none" && prices !== null;
  const lines = isCharged ? costLines(unitsOf(view), toPriceVersion(prices), 1n).filter(({ count }) => count > 0n) : [];
  const parts = lines.reduce((total, line) => total + line.parts, 0n);
  return {
    ...view,
    price_version: prices?.version ?? null,
    lines: lines.map(toReceiptLine),
    sum_usd: scaledToDecimal(parts, amountPlaces),
    recomputed_quota: toQuota(parts),
    settled_quota: applyMultiplier(view.quota, view.rate_multiplier as Decimal),
    quota_delta: applyMultiplier(view.quota, view.rate_multiplier as Decimal) - view.quota,
    attempts: attempts.map(toShownAttempt),
  };
}

function unitsOf(view: PricedCall["view"]) {
  return {
    inputTokens: view.input_tokens,
    outputTokens: view.output_tokens,
    cacheReadTokens: view.cache_read_tokens,
    cacheWriteTokens: view.cache_write_tokens,
    reasoningTokens: view.reasoning_tokens,
    images: view.images,
    audioMs: view.audio_ms,
  };
}

function toReceiptLine({ unit, count, price, parts }: CostLine): ReceiptLine {
  return {
    unit: names[unit],
    count,
    ...kinds[unit],
    price_usd: scaledToDecimal(price, pricePlaces),
    amount_usd: scaledToDecimal(parts, amountPlaces),
  };
}

/** Without the channel: whom the operator buys from is the operator's matter. */
function toShownAttempt({ startedAtMs, durationMs, status, result }: Attempt): UsageReceipt["attempts"][number] {
  const isPrivate = privateResult.test(result);
  return {
    started_at_ms: startedAtMs,
    duration_ms: durationMs,
    status: isPrivate ? null : status,
    result: isPrivate ? "failed" : result,
  };
}
