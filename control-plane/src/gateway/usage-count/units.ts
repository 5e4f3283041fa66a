import { noUnits, type Units } from "../../models/units.ts";

/**
 * The usage that the provider reported. Some providers send impossible numbers; then the units only hint at the real
 * usage.
 */
export type ReportedUnits = Units & { readonly isOdd?: boolean };

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

/** The realtime API and transcriptions use singular names for the details. */
const inputDetails = ["prompt_tokens_details", "input_tokens_details", "input_token_details"];
const outputDetails = ["completion_tokens_details", "output_tokens_details", "output_token_details"];

const secondsMax = 1e9;
const countNames = ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens"];

/**
 * Reads the field names of all providers: chat completions (`prompt_tokens`), responses and images (`input_tokens`),
 * details of cached and reasoning tokens, DeepSeek's `prompt_cache_hit_tokens`, the `cache_creation_tokens` of routers,
 * and the seconds of a transcription. Null for an object that counts nothing.
 */
export function toUnits(usage: Json): ReportedUnits | null {
  const isDuration = usage["type"] === "duration" && typeof usage["seconds"] === "number";
  if (!isDuration && countNames.every((name) => typeof usage[name] !== "number")) {
    return null;
  }
  const units = isDuration ? { ...noUnits, audioMs: toMilliseconds(usage["seconds"] as number) } : toTokens(usage);
  const isOdd =
    countNames.some((name) => isInvalidCount(usage[name])) || (isDuration && isInvalidTime(usage["seconds"] as number));
  return isOdd ? { ...units, isOdd } : units;
}

function toTokens(usage: Json): Units {
  const read = firstOf(usage, inputDetails);
  const written = firstOf(usage, outputDetails);
  const answerTokens = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  const outputTokens = answerTokens + separateReasoningTokens(usage, answerTokens, count(written["reasoning_tokens"]));
  // If only a total is reported, as with ranks, everything that is not output was input.
  const rest = count(usage["total_tokens"]) - outputTokens;
  const inputTokens = count(usage["prompt_tokens"] ?? usage["input_tokens"] ?? (rest > 0n ? Number(rest) : 0));
  const cacheReadTokens = atMost(countOf(read["cached_tokens"], usage["prompt_cache_hit_tokens"]), inputTokens);
  const cached = countOf(read["cache_write_tokens"], read["cache_creation_tokens"], usage["cache_creation_tokens"]);
  return {
    ...noUnits,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: atMost(cached, inputTokens - cacheReadTokens),
    reasoningTokens: atMost(count(written["reasoning_tokens"]), outputTokens),
  };
}

/** xAI counts reasoning beside the answer instead of within it; its total then is all three. */
function separateReasoningTokens(usage: Json, answerTokens: bigint, reasoningTokens: bigint): bigint {
  const read = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  return count(usage["total_tokens"]) === read + answerTokens + reasoningTokens ? reasoningTokens : 0n;
}

/** What no provider can have counted: not a number, or one that is negative, fractional, or beyond exact integers. */
function isInvalidCount(value: unknown): boolean {
  return value !== undefined && value !== null && !(Number.isSafeInteger(value) && (value as number) >= 0);
}

function isInvalidTime(seconds: number): boolean {
  return !(seconds >= 0 && seconds < secondsMax);
}

function firstOf(usage: Json, names: readonly string[]): Json {
  return asObject(usage[names.find((name) => usage[name] !== undefined && usage[name] !== null) ?? ""]);
}

function toMilliseconds(seconds: number): bigint {
  return isInvalidTime(seconds) ? 0n : BigInt(Math.ceil(seconds * 1000));
}

/** A count is a non-negative integer; anything else that a provider sends counts as nothing. */
function count(value: unknown): bigint {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n;
}

/** The first of the names under which something is counted. */
function countOf(...values: readonly unknown[]): bigint {
  return values.map(count).find((value) => value > 0n) ?? 0n;
}

export function atMost<Count extends bigint | number>(value: Count, limit: Count): Count {
  return value < limit ? value : limit;
}
