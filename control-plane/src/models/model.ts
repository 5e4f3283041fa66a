import { type CamelCase, camelCase } from "@sluice/contracts/camel-case";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import {
  type PricedUnit,
  type PriceList,
  partsOf,
  pricedUnits,
  priceOf,
  unitMeasures,
} from "@sluice/contracts/priced-units";

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
export type Prices = Readonly<Record<PriceName, bigint>>;

export type PriceVersion = Prices & {
  readonly version: number;
  /** For each unit the most expensive price that it could be charged at: its own price, or that of one of its parts. */
  readonly highest: Prices;
};

export type PriceTexts = PriceList & { readonly version: number };

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
  const prices = toPrices(
    (unit) => decimalToScaled(priceOf<string>(texts, unit) as Decimal, pricePlaces) * partsOfPrice(unit),
  );
  const priceIn = (unit: PricedUnit): bigint => prices[priceName(unit)];
  const highest = toPrices((unit) =>
    partsOf(unit)
      .map(priceIn)
      .reduce((most, price) => (price > most ? price : most), priceIn(unit)),
  );
  return { ...prices, version: texts.version, highest };
}

function toPrices(priceIn: (unit: PricedUnit) => bigint): Prices {
  return Object.fromEntries(pricedUnits.map((unit) => [priceName(unit), priceIn(unit)])) as Prices;
}
