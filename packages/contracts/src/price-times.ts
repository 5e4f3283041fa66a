import { type Decimal, decimalToScaled, scaledToDecimal } from "./money.ts";
import { type LongPromptPrices, type PriceList, priceColumns, type TieredPrices, tokenPrices } from "./priced-units.ts";

/** Prices have 8 decimal places, multipliers at most 10. */
const factorScale = 12;

/** The exact product of two decimals, without trailing zeros. */
export function times(one: Decimal, other: Decimal): Decimal {
  return scaledToDecimal(decimalToScaled(one, factorScale) * decimalToScaled(other, factorScale), 2 * factorScale);
}

/** What prices are for someone with this multiplier. At a multiplier of 1 they stay as they are written. */
export function priceTimes(prices: TieredPrices, multiplier: Decimal): TieredPrices {
  const isOne = decimalToScaled(multiplier, factorScale) === 10n ** BigInt(factorScale);
  const product = (price: string | null) => (price === null || isOne ? price : times(price as Decimal, multiplier));
  const { long_prompt: long } = prices;
  const list = Object.fromEntries(priceColumns.map((name) => [name, product(prices[name])]));
  const longList = long === null ? null : Object.fromEntries(tokenPrices.map((name) => [name, product(long[name])]));
  return {
    ...(list as unknown as PriceList),
    long_prompt: long === null ? null : ({ ...longList, above_tokens: long.above_tokens } as LongPromptPrices),
  };
}
