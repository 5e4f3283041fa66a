import { type CamelCase, camelCase } from "@sluice/contracts/camel-case";
import { type CountedUnit, countedUnits, type unitMeasures } from "@sluice/contracts/priced-units";
import type { Amount } from "../platform/amount.ts";

type CountOf = { readonly bigint: Amount; readonly integer: number };

/**
 * The counts of one call, from the provider or, if it did not count, from us, with a member for each row of the table
 * of units. A unit that is part of another is included in that one's count.
 */
export type Units = {
  readonly [Unit in CountedUnit as CamelCase<Unit["count"]>]: CountOf[(typeof unitMeasures)[Unit["measure"]]["column"]];
};

export type CountName = keyof Units;

const namesOfCounts = new Map(countedUnits.map((unit): [CountedUnit, CountName] => [unit, camelCase(unit.count)]));

/** The name in `Units` of a unit's count. */
export function countName(unit: CountedUnit): CountName {
  return namesOfCounts.get(unit) ?? camelCase(unit.count);
}

/** The units, created from a count for each. */
export function unitsOf(countOf: (unit: CountedUnit) => Amount): Units {
  return Object.fromEntries(countedUnits.map((unit) => [countName(unit), countOf(unit)])) as unknown as Units;
}

/** The units of a call for which nothing was counted. */
export const noUnits: Units = unitsOf(() => 0);
