import { applyMultiplier, type Decimal, type Quota, quotaPerUsd } from "@sluice/contracts/money";
import { type PricedUnit, partsOf, unitsByWhole } from "@sluice/contracts/priced-units";
import { amountPlaces, type PriceName, type Prices, partsOfPrice, priceName } from "./model.ts";
import { type CountName, countName, type Units } from "./units.ts";

const partsPerUsd = 10n ** BigInt(amountPlaces);

/** One line of a receipt. */
export type CostLine = {
  readonly unit: PricedUnit;
  readonly count: bigint;
  /** In 10^-8 USD. */
  readonly price: bigint;
  /** In 10^-14 USD, exact. */
  readonly parts: bigint;
};

/** How the line of a unit is computed. */
type LineRule = {
  readonly unit: PricedUnit;
  readonly price: PriceName;
  /** Null: it counts requests. */
  readonly count: CountName | null;
  /** Parts included in `count`, and with lines of their own. */
  readonly parts: readonly CountName[];
};

const rules: readonly LineRule[] = unitsByWhole.map((unit) => ({
  unit,
  price: priceName(unit),
  count: unit.count === null ? null : countName(unit),
  parts: partsOf(unit).map(countName),
}));

/** The same as separate functions, because `costOf` runs for every call. */
const counted = rules.filter((rule): rule is LineRule & { readonly count: CountName } => rule.count !== null);
const undivided = counted.filter(({ parts }) => parts.length === 0);
const divided = counted.filter(({ parts }) => parts.length > 0);
const byRequest = rules.filter(({ count }) => count === null);

/** What is left for a unit's line, so that each token is on one line only. Parts may overlap to more than the whole. */
function countOf(units: Units, count: CountName, parts: readonly CountName[]): bigint {
  let rest = asBigint(units[count]);
  for (const part of parts) {
    const own = units[part];
    // Mostly zero, and the arithmetic is what takes time.
    if (own) {
      rest -= asBigint(own);
    }
  }
  return rest > 0n ? rest : 0n;
}

const asBigint = (count: bigint | number): bigint => (typeof count === "bigint" ? count : BigInt(count));

/** The lines of a cost. */
export function costLines(units: Units, prices: Prices, requests: bigint): CostLine[] {
  return rules.map((rule) => {
    const count = rule.count === null ? requests : countOf(units, rule.count, rule.parts);
    const price = prices[rule.price];
    return { unit: rule.unit, count, price: price / partsOfPrice(rule.unit), parts: count * price };
  });
}

/** The base cost of a call: the exact sum of its lines, rounded up once, at the end. */
export function costOf(units: Units, prices: Prices, requests: bigint): Quota {
  let parts = 0n;
  for (const { count, parts: without, price } of divided) {
    parts += countOf(units, count, without) * prices[price];
  }
  for (const { count, price } of undivided) {
    const own = units[count];
    if (own) {
      parts += asBigint(own) * prices[price];
    }
  }
  for (const { price } of byRequest) {
    const each = prices[price];
    if (each) {
      parts += requests * each;
    }
  }
  return toQuota(parts);
}

/** Parts of 10^-14 USD as quota, rounded up. */
export function toQuota(parts: bigint): Quota {
  return ((parts * quotaPerUsd + partsPerUsd - 1n) / partsPerUsd) as Quota;
}

/** The most that a user with this multiplier may owe for a base cost: a multiplier below 1 is only refunded later. */
export function withMultiplierAboveOne(base: Quota, multiplier: Decimal): Quota {
  const multiplied = multiplier === "1.0000" ? base : applyMultiplier(base, multiplier);
  return (multiplied > base ? multiplied : base) as Quota;
}
