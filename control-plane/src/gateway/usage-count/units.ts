import type { Decimal } from "@sluice/contracts/money";
import type { Units } from "../../models/units.ts";

/**
 * The usage that the provider reported. Some providers send impossible numbers; then the units only hint at the real
 * usage.
 */
export type ReportedUnits = Units & {
  readonly isOdd?: boolean;
  /** The report came before the output, and counts only what the provider had read. */
  readonly isInputOnly?: boolean;
  /** What the provider says the call has cost it, in US dollars. */
  readonly providerCost?: Decimal;
};

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** The object in a JSON text, or null when it is not one. */
export function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** More searches than a call can make; the column of the count holds more. */
const searchesMax = 1_000_000;

/** What no provider can have counted: not a number, or one that is negative, fractional, or beyond exact integers. */
function isInvalidCount(value: unknown): boolean {
  return value !== undefined && value !== null && !(Number.isSafeInteger(value) && (value as number) >= 0);
}

/** Whether any of these names has a number. */
export function hasCount(usage: Json, names: readonly string[]): boolean {
  for (const name of names) {
    if (typeof usage[name] === "number") {
      return true;
    }
  }
  return false;
}

/** Whether any of these names has what no provider can have counted. */
export function hasInvalidCount(usage: Json, names: readonly string[]): boolean {
  for (const name of names) {
    if (isInvalidCount(usage[name])) {
      return true;
    }
  }
  return false;
}

/** A count is a non-negative integer; anything else that a provider sends counts as nothing. */
export function wholeOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The first of the names under which something is counted. */
export function countOf(...values: readonly unknown[]): number {
  for (const value of values) {
    const whole = wholeOf(value);
    if (whole > 0) {
      return whole;
    }
  }
  return 0;
}

/** The searches of a provider: on the web of Messages and routers in one place, of Perplexity in another, or in documents. */
export function searchesOf(usage: Json): number {
  const used = usage["server_tool_use"];
  const ofWeb = used === undefined ? 0 : wholeOf(asObject(used)["web_search_requests"]);
  return atMost(ofWeb || wholeOf(usage["num_search_queries"]) || wholeOf(usage["search_units"]), searchesMax);
}

export function atMost<Count extends bigint | number>(value: Count, limit: Count): Count {
  return value < limit ? value : limit;
}
