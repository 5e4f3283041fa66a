import { type Decimal, scaledToDecimal } from "@sluice/contracts/money";
import { asObject, type Json } from "./units.ts";

/** The places of the column that keeps it. */
const places = 12;
const usdMax = 1e6;

/**
 * What the provider says a call has cost it, in US dollars: OpenRouter names the amount, Perplexity a list with its
 * total. Null if it names none.
 */
export function providerCostOf(usage: Json): Decimal | null {
  const { cost } = usage;
  const usd = typeof cost === "number" ? cost : asObject(cost)["total_cost"];
  if (typeof usd !== "number" || !(usd >= 0 && usd < usdMax)) {
    return null;
  }
  // JSON numbers have the digits that the provider wrote; further digits of the float are noise.
  return scaledToDecimal(BigInt(usd.toFixed(places).replace(".", "")), places);
}
