import { applyMultiplier, type Decimal, type Quota, scaledToDecimal } from "@sluice/contracts/money";
import { unitMeasures } from "@sluice/contracts/priced-units";
import type { ReceiptLine, UsageReceipt } from "@sluice/contracts/usage";
import { type CostLine, costLines, pricesFor, toQuota, toShare } from "../../models/cost.ts";
import { amountPlaces, pricePlaces, toPriceVersion } from "../../models/model.ts";
import { unitsOf } from "../../models/units.ts";
import type { Attempt } from "../log/model.ts";
import type { PricedCall } from "./views-store.ts";

/** Results that concern the operator's dealings with a provider, and that the user could not act upon. */
const privateResult = /credential/;

/** How the cost of a call came about, recomputed from the units and the prices that its row names. */
export function toReceipt({ view, attempts, prices }: PricedCall): UsageReceipt {
  const isCharged = view.usage_source !== "none" && prices !== null;
  const units = unitsOf(({ count }) => view[count]);
  const rates = isCharged ? toPriceVersion(prices) : null;
  const lines = rates === null ? [] : costLines(units, rates, 1n).filter(({ count }) => count > 0n);
  const isLong = rates?.long !== undefined && pricesFor(rates, units) === rates.long.prices;
  const parts = lines.reduce((total, line) => total + line.parts, 0n);
  return {
    ...view,
    price_version: prices?.version ?? null,
    long_prompt_above: isLong ? (prices?.long_prompt?.above_tokens ?? null) : null,
    lines: lines.map(toReceiptLine),
    sum_usd: scaledToDecimal(parts, amountPlaces),
    recomputed_quota:
      view.cache_basis_points === null ? (BigInt(toQuota(parts)) as Quota) : toShare(parts, view.cache_basis_points),
    settled_quota: applyMultiplier(view.quota, view.rate_multiplier as Decimal),
    quota_delta: applyMultiplier(view.quota, view.rate_multiplier as Decimal) - view.quota,
    attempts: attempts.map(toShownAttempt),
  };
}

function toReceiptLine({ unit, count, price, parts }: CostLine): ReceiptLine {
  return {
    unit: unit.name,
    count,
    count_unit: unit.measure,
    price_per: unitMeasures[unit.measure].pricePer,
    price_usd: scaledToDecimal(price, pricePlaces),
    amount_usd: scaledToDecimal(parts, amountPlaces),
  };
}

/** Without the channel: the operator's supplier is not the user's business. */
function toShownAttempt({ startedAtMs, durationMs, status, result, model }: Attempt): UsageReceipt["attempts"][number] {
  const isPrivate = privateResult.test(result);
  return {
    started_at_ms: startedAtMs,
    duration_ms: durationMs,
    status: isPrivate ? null : status,
    result: isPrivate ? "failed" : result,
    model: model ?? null,
  };
}
