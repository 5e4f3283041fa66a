import { type Fraction, fractionOf } from "./fraction.ts";

/** Numbers by name, as the programs keep ratios and prices in their settings. */
export type RatioMap = ReadonlyMap<string, Fraction>;

/**
 * Reads a map of numbers without rounding any. Null for a setting that was never saved: its values are then in the
 * program, not in its database.
 * @throws Error if the setting is not such a map
 */
export function readRatioMap(options: ReadonlyMap<string, string>, name: string): RatioMap | null {
  return readRatios(options, name)?.found ?? null;
}

/** The names in such a setting whose values are not numbers of at least 0; these count as unset. @throws Error */
export function oddRatios(options: ReadonlyMap<string, string>, name: string): readonly string[] {
  return readRatios(options, name)?.odd ?? [];
}

type Ratios = { readonly found: RatioMap; readonly odd: readonly string[] };

function readRatios(options: ReadonlyMap<string, string>, name: string): Ratios | null {
  const text = options.get(name)?.trim() ?? "";
  if (text === "" || text === "null") {
    return null;
  }
  const found = new Map<string, Fraction>();
  const odd: string[] = [];
  const keep = (key: string, value: unknown, context: { readonly source?: string }): unknown => {
    const number = typeof value === "number" && context.source !== undefined ? fractionOf(context.source) : null;
    if (number !== null && number.over >= 0n) {
      found.set(key, number);
    } else if (key !== "") {
      odd.push(key);
    }
    return value;
  };
  try {
    // The reviver gets the text of each number, which the type of the library does not say yet.
    JSON.parse(text, keep as (key: string, value: unknown) => unknown);
  } catch (cause) {
    throw new Error(`the setting ${name} is not JSON`, { cause });
  }
  return { found, odd };
}
