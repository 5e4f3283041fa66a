/* Values as three kinds of databases and two programs store them. */

/** A value that can't be what its column should hold. */
export class OddValue extends Error {}

/** Sums of such numbers still fit into a column. */
const wholeMax = 1_000_000_000_000_000_000n;

/** An integer; null counts as 0. @throws OddValue */
export function wholeOf(value: unknown): bigint {
  const whole = readWhole(value);
  if (whole > wholeMax || whole < -wholeMax) {
    throw new OddValue(`${whole} is out of range`);
  }
  return whole;
}

/** No real call uses more, and sums over many such rows would overflow their columns. */
const useMax = 1_000_000_000_000n;

/** A number of calls, tokens or quota in one row of a history; null counts as 0. @throws OddValue */
export function useOf(value: unknown): bigint {
  const use = wholeOf(value);
  if (use > useMax || use < -useMax) {
    throw new OddValue(`${use} is out of range`);
  }
  return use;
}

function readWhole(value: unknown): bigint {
  if (value === null || value === undefined) {
    return 0n;
  }
  if (typeof value === "bigint") {
    return value;
  }
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return BigInt(value);
  }
  if (typeof value === "boolean") {
    return value ? 1n : 0n;
  }
  if (typeof value === "string" && /^-?\d{1,19}$/.test(value.trim())) {
    return BigInt(value.trim());
  }
  throw new OddValue(`${JSON.stringify(String(value).slice(0, 60))} is not an integer`);
}

/** A text without the blanks that columns of a fixed width add; null is empty. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "";
  }
  const text = value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
  // Postgres takes no such character.
  return text.replaceAll("\0", "").trimEnd();
}

/** A text on one line. */
export function lineOf(value: unknown): string {
  return textOf(value)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** A text on one line, cut after so many characters: never in the middle of one, which the database would replace. */
export function shortOf(value: unknown, lengthMax: number): string {
  return lineOf(value)
    .slice(0, lengthMax)
    .replace(/\p{Cs}$/u, "");
}

export function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === 1n || value === "1" || value === "true";
}

/** The parts of a list with commas, without blanks, empty parts and repetitions. */
export function listOf(value: unknown, separator: string | RegExp = ","): string[] {
  const parts = textOf(value)
    .split(separator)
    .map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ""))];
}

/**
 * A JSON object, which servers hand over as it is; null for an empty text or the text "null".
 * @throws OddValue for anything else
 */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array) && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  const text = textOf(value).trim();
  if (text === "" || text === "null" || text === "{}") {
    return null;
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // Its text may be a credential.
    throw new OddValue("it is not JSON");
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new OddValue("it is not a JSON object");
  }
  return found as Readonly<Record<string, unknown>>;
}

const latestSecond = 253_402_300_799n;

/** A time in seconds since 1970. @throws OddValue outside of the years 1970 to 9999 */
export function instantOf(seconds: bigint): Date {
  if (seconds < 0n || seconds > latestSecond) {
    throw new OddValue(`${seconds} is not a time`);
  }
  return new Date(Number(seconds) * 1_000);
}
