import type { Units } from "../../usage-log/model.ts";

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** The object in a JSON text, or null when the text is none. */
export function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

const countNames = ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens"];

/**
 * Reads the spellings of the providers: chat completions (`prompt_tokens`), responses and images (`input_tokens`),
 * details of cached and reasoning tokens, DeepSeek's `prompt_cache_hit_tokens`, and the seconds of a transcription. Null for
 * an object that counts nothing.
 */
export function toUnits(usage: Json): Units | null {
  const isDuration = usage["type"] === "duration" && typeof usage["seconds"] === "number";
  if (!isDuration && countNames.every((name) => typeof usage[name] !== "number")) {
    return null;
  }
  const promptDetails = asObject(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const outputDetails = asObject(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  const inputTokens = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  const cacheReadTokens = atMost(
    count(promptDetails["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]),
    inputTokens,
  );
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: atMost(count(promptDetails["cache_write_tokens"]), inputTokens - cacheReadTokens),
    reasoningTokens: atMost(count(outputDetails["reasoning_tokens"]), outputTokens),
    images: 0,
    audioMs: isDuration ? toMilliseconds(usage["seconds"] as number) : 0n,
  };
}

function toMilliseconds(seconds: number): bigint {
  return seconds >= 0 && seconds < 1e9 ? BigInt(Math.ceil(seconds * 1000)) : 0n;
}

/** A count is a non-negative integer; whatever else a provider sends counts as nothing. */
function count(value: unknown): bigint {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n;
}

export function atMost(value: bigint, limit: bigint): bigint {
  return value < limit ? value : limit;
}
