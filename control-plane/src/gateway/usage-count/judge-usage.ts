import { countedUnits, partsOf } from "@sluice/contracts/priced-units";
import { type CountName, countName, type Units } from "../../models/units.ts";
import { type Amount, minus } from "../../platform/amount.ts";
import { atMost } from "./units.ts";

/** What a call was admitted for, and the most that can be true of it. */
export type UsageLimits = {
  /** The limit for our own count. */
  readonly held: Units;
  /** The limit for reported counts, see `plausibleUnits`; nowhere lower than `held`. */
  readonly most: Units;
};

/**
 * The plausible part of a count: anything beyond it is not charged.
 * @returns the units, and whether any were cut off
 */
export function bookable(
  reported: Units,
  limits: UsageLimits,
): { readonly units: Units; readonly isImplausible: boolean } {
  if (isWithin(reported, limits.held)) {
    return { units: reported, isImplausible: false };
  }
  const { most } = limits;
  return isWithin(reported, most)
    ? { units: reported, isImplausible: false }
    : { units: cut(reported, most), isImplausible: true };
}

/** Limits our own count, for a call without a reported one, to what was set aside for it. */
export function withinHeld(counted: Units, { held, most }: UsageLimits): Units {
  return cut(counted, { ...held, images: most.images });
}

/** A report without output, completed by our own count of the output, and of the input if none was named. */
export function withOutput(reported: Units, own: Units, limits: UsageLimits): Units {
  const inputTokens = reported.inputTokens > 0 ? reported.inputTokens : own.inputTokens;
  return bookable({ ...reported, inputTokens, outputTokens: own.outputTokens }, limits).units;
}

/** Units that are not part of other units, each with its own parts. */
const wholes = countedUnits
  .filter(({ partOf }) => partOf === null)
  .map((unit) => ({ name: countName(unit), parts: partsOf(unit).map(countName) }));

function isWithin(reported: Units, most: Units): boolean {
  for (const { name } of wholes) {
    if (reported[name] > most[name]) {
      return false;
    }
  }
  return true;
}

/** Limits each whole to what is plausible, and its parts together to the whole. */
function cut(units: Units, most: Units): Units {
  const kept: Partial<Record<CountName, Amount>> = {};
  for (const { name, parts } of wholes) {
    const whole = atMost<Amount>(units[name], most[name]);
    kept[name] = whole;
    let rest: Amount = whole;
    for (const part of parts) {
      const own = atMost<Amount>(units[part], rest);
      kept[part] = own;
      rest = minus(rest, own);
    }
  }
  return kept as Units;
}
