import { applyMultiplier, ceilDivide, type Decimal, type Quota, quotaPerUsd } from "@sluice/contracts/money";
import { type PricedUnit, partsOf, unitsByWhole } from "@sluice/contracts/priced-units";
import { type Amount, dividedUp, minus, plus, times, toAmount } from "../platform/amount.ts";
import { amountPlaces, type PriceName, type Prices, partsOfPrice, priceName, type Rates } from "./model.ts";
import { type CountName, countName, type Units } from "./units.ts";

const partsPerUsd = 10n ** BigInt(amountPlaces);
/** A whole number: quota is coarser than amounts. */
const partsPerQuota = toAmount(partsPerUsd / quotaPerUsd);

/** One line of a receipt. */
export type CostLine = {
  readonly unit: PricedUnit;
  readonly count: bigint;
  /** The price in 10^-8 USD. */
  readonly price: bigint;
  /** The exact cost in 10^-14 USD. */
  readonly parts: bigint;
};

/** How the line of a unit is computed. */
type LineRule = {
  readonly unit: PricedUnit;
  readonly price: PriceName;
  /** The name of the counted unit; null for the line that counts requests. */
  readonly count: CountName | null;
  /** Parts that `count` includes and that have lines of their own. */
  readonly parts: readonly CountName[];
};

const rules: readonly LineRule[] = unitsByWhole.map((unit) => ({
  unit,
  price: priceName(unit),
  count: unit.count === null ? null : countName(unit),
  parts: partsOf(unit).map(countName),
}));

/**
 * The remaining count for a unit's line, so that each token is on one line only. Parts may overlap, so that their sum
 * exceeds the whole.
 */
function countOf(units: Units, count: CountName, parts: readonly CountName[]): Amount {
  let rest: Amount = units[count];
  for (const part of parts) {
    const own = units[part];
    if (own) {
      rest = minus(rest, own);
    }
  }
  return rest > 0 ? rest : 0;
}

/** The prices of a call: a prompt above a length may change all of them, for the whole call. */
export function pricesFor(rates: Rates, { inputTokens }: Units): Prices {
  const { long } = rates;
  return long !== undefined && inputTokens > long.aboveTokens ? long.prices : rates;
}

/** The lines of a cost. */
export function costLines(units: Units, rates: Rates, requests: bigint): CostLine[] {
  const prices = pricesFor(rates, units);
  return rules.map((rule) => {
    const count = rule.count === null ? requests : BigInt(countOf(units, rule.count, rule.parts));
    const price = BigInt(prices[rule.price]);
    return { unit: rule.unit, count, price: price / partsOfPrice(rule.unit), parts: count * price };
  });
}

/** The base cost of a call: the exact sum of its lines, rounded up once, at the end. */
export function costOf(units: Units, rates: Rates, requests: Amount): Amount {
  return toQuota(sumLines(units, rates, requests));
}

/** The same of a call that costs only a share of it, in hundredths of a percent. */
export function shareOfCost(units: Units, rates: Rates, requests: Amount, basisPoints: number): Amount {
  return toAmount(toShare(BigInt(sumLines(units, rates, requests)), basisPoints));
}

/** The sum of the lines. Each unit is named, because this runs twice for every call, and names that change are looked up. */
function sumLines(units: Units, rates: Rates, requests: Amount): Amount {
  const { cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, reasoningTokens } = units;
  const prices = pricesFor(rates, units);
  const read = without(without(without(units.inputTokens, cacheReadTokens), cacheWriteTokens), cacheWrite1hTokens);
  const written = without(units.outputTokens, reasoningTokens);
  let parts: Amount = times(requests, prices.request);
  parts = withLine(parts, read > 0 ? read : 0, prices.input);
  parts = withLine(parts, written > 0 ? written : 0, prices.output);
  parts = withLine(parts, cacheReadTokens, prices.cacheRead);
  parts = withLine(parts, cacheWriteTokens, prices.cacheWrite);
  parts = withLine(parts, cacheWrite1hTokens, prices.cacheWrite1h);
  parts = withLine(parts, reasoningTokens, prices.reasoning);
  parts = withLine(parts, units.images, prices.image);
  parts = withLine(parts, units.audioMs, prices.audio);
  return withLine(parts, units.searches, prices.search);
}

/** Most counts are zero, and the arithmetic is what takes time. */
const without = (whole: Amount, part: Amount): Amount => (part ? minus(whole, part) : whole);
const withLine = (parts: Amount, count: Amount, price: Amount): Amount =>
  count && price ? plus(parts, times(count, price)) : parts;

/** Converts parts of 10^-14 USD to quota, rounded up. */
export function toQuota(parts: Amount): Amount {
  return dividedUp(parts, partsPerQuota);
}

const basisPointsOfWhole = 10_000n;

/** The same of a share, in hundredths of a percent. */
export function toShare(parts: bigint, basisPoints: number): Quota {
  return ceilDivide(parts * quotaPerUsd * BigInt(basisPoints), partsPerUsd * basisPointsOfWhole) as Quota;
}

/** What a call costs with the multiplier. */
export function withMultiplier(base: Amount, multiplier: Decimal): Amount {
  return multiplier === "1.0000" ? base : toAmount(applyMultiplier(BigInt(base), multiplier));
}

/**
 * The most that a user with this multiplier may owe for a base cost. A multiplier below 1 does not reduce it, because
 * it is only refunded later.
 */
export function withMultiplierAboveOne(base: Amount, multiplier: Decimal): Amount {
  const multiplied = withMultiplier(base, multiplier);
  return multiplied > base ? multiplied : base;
}
