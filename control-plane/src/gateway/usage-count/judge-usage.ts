import { countedUnits, partsOf } from "@sluice/contracts/priced-units";
import { type CountName, countName, type Units } from "../../models/units.ts";
import { atMost } from "./units.ts";

/** What a call was let in for, and the most that can be true of it. */
export type UsageLimits = {
  /** Our own count never says more. */
  readonly held: Units;
  /** What anybody says beyond this is not believed, see `plausibleUnits`. */
  readonly most: Units;
};

/**
 * The part of a count that can be true: anything beyond it is not charged.
 * @returns the units, and whether anything was cut off them
 */
export function bookable(
  reported: Units,
  { most }: UsageLimits,
): { readonly units: Units; readonly isImplausible: boolean } {
  const isPlausible = wholes.every(({ name }) => reported[name] <= most[name]);
  return isPlausible ? { units: reported, isImplausible: false } : { units: cut(reported, most), isImplausible: true };
}

/** Our own count of what was not reported. It charges no more than was set aside. */
export function withinHeld(counted: Units, { held, most }: UsageLimits): Units {
  return cut(counted, { ...held, images: most.images });
}

/** What was reported without an output, with our own count of that, and of the input if none was named. */
export function withOutput(reported: Units, own: Units, limits: UsageLimits): Units {
  const inputTokens = reported.inputTokens > 0n ? reported.inputTokens : own.inputTokens;
  return bookable({ ...reported, inputTokens, outputTokens: own.outputTokens }, limits).units;
}

/** What is no part of anything else, each with its parts. */
const wholes = countedUnits
  .filter(({ partOf }) => partOf === null)
  .map((unit) => ({ name: countName(unit), parts: partsOf(unit).map(countName) }));

/** No whole is more than can be true, and its parts are together no more than it. */
function cut(units: Units, most: Units): Units {
  const kept: Partial<Record<CountName, bigint | number>> = {};
  for (const { name, parts } of wholes) {
    const whole = atMost(units[name], most[name]);
    kept[name] = whole;
    let rest = whole;
    for (const part of parts) {
      const own = atMost(units[part], rest);
      kept[part] = own;
      rest = less(rest, own);
    }
  }
  return kept as Units;
}

/** Both are of one type: a unit and its parts are counted alike. */
function less<Count extends bigint | number>(count: Count, taken: Count): Count {
  return (typeof count === "bigint" ? count - (taken as bigint) : count - (taken as number)) as Count;
}
