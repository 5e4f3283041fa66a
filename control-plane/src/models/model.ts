import { type CamelCase, camelCase } from "@sluice/contracts/camel-case";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import {
  listFor,
  type PricedUnit,
  type PriceList,
  partsOf,
  pricedUnits,
  priceOf,
  type TieredPrices,
  unitMeasures,
} from "@sluice/contracts/priced-units";
import { type Amount, toAmount } from "../platform/amount.ts";

/** Prices have 8 decimal places of a USD. */
export const pricePlaces = 8;

/**
 * Amounts are exact in 10^-14 USD: a millionth, for prices per million tokens, of the last decimal place of a price.
 */
export const amountPlaces = 14;
const partsPerPrice = 10n ** BigInt(amountPlaces - pricePlaces);

/** The name under which abilities and prices of pass-through paths are kept. */
export const passThroughModel = "*";

export type PriceName = CamelCase<PricedUnit["name"]>;

/** The price of one of each unit (a token, a request, an image, a millisecond), in 10^-14 USD. */
export type Prices = Readonly<Record<PriceName, Amount>>;

/** Prices that may differ for long prompts. */
export type Rates = Prices & {
  /** The prices of a whole call whose prompt is longer than this; absent if prompts of any length cost the same. */
  readonly long?: { readonly aboveTokens: number; readonly prices: Prices } | undefined;
};

export type PriceVersion = Rates & {
  readonly version: number;
  /**
   * For each unit the most expensive price that it could be charged at: its own price, or that of one of its parts; and
   * a long prompt may turn out to be a short one.
   */
  readonly highest: Rates;
};

export type PriceTexts = TieredPrices & { readonly version: number };

/** The name in `Prices` of a unit's price. */
export function priceName({ name }: PricedUnit): PriceName {
  return camelCase(name);
}

/** How many 10^-14 USD one of a unit costs for each 10^-8 USD of its price. */
export function partsOfPrice({ measure }: PricedUnit): bigint {
  return partsPerPrice / unitMeasures[measure].perPrice;
}

/** Parses the decimal strings of one price version; a part without its own price costs the same as the whole. */
export function toPriceVersion(texts: PriceTexts): PriceVersion {
  const { version, long_prompt: long } = texts;
  const prices = parsePrices(texts);
  const highest = highestOf(prices);
  if (long === null) {
    return { ...prices, version, highest };
  }
  const aboveTokens = long.above_tokens;
  const longPrices = parsePrices(listFor(texts, long.above_tokens + 1));
  const longHighest = highestOf(longPrices);
  const higher = toPrices((unit) => larger(highest[priceName(unit)], longHighest[priceName(unit)]));
  return {
    ...prices,
    version,
    long: { aboveTokens, prices: longPrices },
    highest: { ...highest, long: { aboveTokens, prices: higher } },
  };
}

function parsePrices(texts: PriceList): Prices {
  return toPrices((unit) => {
    const price = decimalToScaled(priceOf<string>(texts, unit) as Decimal, pricePlaces);
    return toAmount(price * partsOfPrice(unit));
  });
}

function highestOf(prices: Prices): Prices {
  const priceIn = (unit: PricedUnit): Amount => prices[priceName(unit)];
  return toPrices((unit) => partsOf(unit).map(priceIn).reduce(larger, priceIn(unit)));
}

const larger = (one: Amount, other: Amount): Amount => (other > one ? other : one);

function toPrices(priceIn: (unit: PricedUnit) => Amount): Prices {
  return Object.fromEntries(pricedUnits.map((unit) => [priceName(unit), priceIn(unit)])) as Prices;
}
