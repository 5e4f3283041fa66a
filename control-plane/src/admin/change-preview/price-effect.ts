import { type PriceEffect, priceEffectDays } from "@sluice/contracts/change-preview";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import { type CountColumn, partsOf, unitsByWhole } from "@sluice/contracts/priced-units";
import { type Prices, priceName, toPriceVersion } from "../../models/model.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Subject } from "./consequences-store.ts";
import {
  type PricedSpan,
  type PriceRow,
  readGroupEffect,
  readGroupMultiplier,
  readModelEffect,
  readPlanEffect,
  readPlanPrice,
  readPriceRows,
} from "./price-effect-store.ts";

/** More versions of a price than this in the span are compared with the oldest of them. */
const versionsMax = 50;
const multiplierPlaces = 6;

/**
 * What the last days would have cost at the prices that a request saves, from the sums of usage.
 * @param db before the request
 * @param tx after it
 */
export async function priceEffectOf(
  db: Queryable,
  tx: Queryable,
  subjects: readonly Subject[],
): Promise<PriceEffect | null> {
  for (const { kind, id } of subjects) {
    const effect = await effects[kind]?.(db, tx, id);
    if (effect !== undefined && effect !== null && (effect.charged > 0n || effect.would_charge > 0n)) {
      return effect;
    }
  }
  return null;
}

type ReadEffect = (db: Queryable, tx: Queryable, id: string) => Promise<PriceEffect | null>;

const effects: Readonly<Record<string, ReadEffect>> = {
  model: async (db, tx, name) => {
    const before = await readPriceRows(db, name, versionsMax);
    const [after] = await readPriceRows(tx, name, 1);
    return after === undefined || before.length === 0 || before[0]?.version === after.version
      ? null
      : await modelEffect(db, name, before, after);
  },
  group: async (db, tx, name) => {
    const [before, after] = [await readGroupMultiplier(db, name), await readGroupMultiplier(tx, name)];
    if (before === null || after === null || before === after) {
      return null;
    }
    const scaled = (multiplier: Decimal): bigint => decimalToScaled(multiplier, multiplierPlaces);
    return await readGroupEffect(db, name, { days: priceEffectDays, from: scaled(before), to: scaled(after) });
  },
  plan: async (db, tx, code) => {
    const [before, after] = [await readPlanPrice(db, code), await readPlanPrice(tx, code)];
    return before === null || after === null || before === after
      ? null
      : await readPlanEffect(db, code, { days: priceEffectDays, price: after });
  },
};

async function modelEffect(
  db: Queryable,
  name: string,
  before: readonly PriceRow[],
  after: PriceRow,
): Promise<PriceEffect> {
  const all = [after, ...before].map((row) => ({ row, prices: toPriceVersion(row) }));
  const isByToken = all.every(({ prices }) => otherUnits.every((unit) => prices[priceName(unit)] === 0));
  // The newest comes first, so that each is valid until the one before it.
  const spans = all.slice(1).map(({ row, prices }, index, rows): PricedSpan => {
    const isOldest = index === rows.length - 1;
    return {
      version: row.version,
      from: isOldest ? null : row.valid_from,
      until: rows[index - 1]?.row.valid_from ?? null,
      cost: costText(prices, isByToken),
    };
  });
  const cost = costText(toPriceVersion(after), isByToken);
  const isExact = all.every(({ prices }) => prices.long === undefined);
  return { ...(await readModelEffect(db, name, { days: priceEffectDays, spans, cost, isByToken })), is_exact: isExact };
}

/** Units that the sums of users do not count. */
const otherUnits = unitsByWhole.filter(({ measure }) => measure !== "token");

/** SQL for the cost in 10^-14 USD of what a row of sums counts: the lines of `models/cost.ts`. */
function costText(prices: Prices, isByToken: boolean): string {
  const lines = unitsByWhole
    .filter((unit) => !isByToken || !otherUnits.includes(unit))
    .map((unit) => {
      const parts = partsOf(unit).map(({ count }): CountColumn => count);
      const counted = unit.count === null ? "requests" : [unit.count, ...parts].join(" - ");
      return `greatest(${counted}, 0) * ${prices[priceName(unit)]}::numeric`;
    });
  return `(${lines.join(" + ")})`;
}
