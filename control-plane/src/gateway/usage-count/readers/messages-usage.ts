import type { Units } from "../../../models/units.ts";
import { amountOf, plus } from "../../../platform/amount.ts";
import {
  asObject,
  atMost,
  countOf,
  hasCount,
  hasInvalidCount,
  type Json,
  type ReportedUnits,
  searchesOf,
  wholeOf,
} from "../units.ts";

const countNames = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/**
 * Reads the usage of the Messages API: the tokens that were read fresh, from a cache, and into a cache are three counts
 * that have nothing in common, and the output includes what was thought. Null for an object that counts nothing.
 */
export function readMessagesUsage(usage: Json): ReportedUnits | null {
  if (!hasCount(usage, countNames)) {
    return null;
  }
  const { iterations } = usage;
  const own = toTokens(usage);
  const compactions = Array.isArray(iterations) ? iterations.map(asObject).filter(isCompaction) : null;
  const units = compactions === null ? own : compactions.map(toTokens).reduce(sum, own);
  const isOdd =
    hasInvalidCount(usage, countNames) || compactions?.some((part) => hasInvalidCount(part, countNames)) === true;
  if (typeof usage["output_tokens"] !== "number") {
    return isOdd ? { ...units, isInputOnly: true, isOdd } : { ...units, isInputOnly: true };
  }
  return isOdd ? { ...units, isOdd } : units;
}

/**
 * Adds a report of a stream to earlier ones. Reports are cumulative, and each may leave out, or name as nothing, what
 * another one has counted.
 */
export function mergeMessagesUsage(known: Json, usage: Json): Json {
  const merged = { ...known };
  for (const [name, value] of Object.entries(usage)) {
    if (value !== null && (value !== 0 || typeof merged[name] !== "number")) {
      merged[name] = value;
    }
  }
  return merged;
}

/** The report with which a stream begins, without its count of the output: that is a first guess. */
export function startOfMessagesUsage(usage: Json): Json {
  return { ...usage, output_tokens: null, output_tokens_details: null };
}

function toTokens(usage: Json): Units {
  const cacheReadTokens = wholeOf(usage["cache_read_input_tokens"]);
  const { ephemeral_5m_input_tokens: shortLived, ephemeral_1h_input_tokens: longLived } = asObject(
    usage["cache_creation"],
  );
  const written = countOf(usage["cache_creation_input_tokens"], wholeOf(shortLived) + wholeOf(longLived));
  const cacheWrite1hTokens = atMost(wholeOf(longLived), written);
  const outputTokens = wholeOf(usage["output_tokens"]);
  return {
    inputTokens: amountOf(wholeOf(usage["input_tokens"]) + cacheReadTokens + written),
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
    reasoningTokens: atMost(wholeOf(asObject(usage["output_tokens_details"])["thinking_tokens"]), outputTokens),
    images: 0,
    audioMs: 0,
    searches: searchesOf(usage),
  };
}

/** A summary that was written on the way is billed, and not part of the counts around it. */
function isCompaction(iteration: Json): boolean {
  return iteration["type"] === "compaction";
}

function sum(units: Units, more: Units): Units {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = more;
  return {
    ...units,
    inputTokens: plus(units.inputTokens, inputTokens),
    outputTokens: plus(units.outputTokens, outputTokens),
    cacheReadTokens: plus(units.cacheReadTokens, cacheReadTokens),
    cacheWriteTokens: plus(units.cacheWriteTokens, cacheWriteTokens),
    cacheWrite1hTokens: plus(units.cacheWrite1hTokens, cacheWrite1hTokens),
  };
}
