import { noUnits, type Units } from "../../../models/units.ts";
import { amountOf, minus, plus } from "../../../platform/amount.ts";
import {
  asObject,
  atMost,
  hasCount,
  hasInvalidCount,
  type Json,
  type ReportedUnits,
  searchesOf,
  wholeOf,
} from "../units.ts";

/** The realtime API and transcriptions use singular names for the details. */
const inputDetails = ["prompt_tokens_details", "input_tokens_details", "input_token_details"];
const outputDetails = ["completion_tokens_details", "output_tokens_details", "output_token_details"];

const noDetails: Json = {};
const secondsMax = 1e9;
const countNames = [
  "prompt_tokens",
  "completion_tokens",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "search_units",
];

/**
 * Reads the field names of all providers of chat completions (`prompt_tokens`), responses and images (`input_tokens`):
 * details of cached and reasoning tokens, the spellings of DeepSeek, Moonshot, Mistral, Qwen, xAI, Perplexity and of
 * routers, and the seconds of a transcription. The input includes what came from a cache and went into it. Null for an
 * object that counts nothing.
 */
export function readChatUsage(usage: Json): ReportedUnits | null {
  const isDuration = usage["type"] === "duration" && typeof usage["seconds"] === "number";
  if (!isDuration && !hasCount(usage, countNames)) {
    return null;
  }
  const units = isDuration ? { ...noUnits, audioMs: toMilliseconds(usage["seconds"] as number) } : toTokens(usage);
  const isOdd = hasInvalidCount(usage, countNames) || (isDuration && isInvalidTime(usage["seconds"] as number));
  return isOdd ? { ...units, isOdd } : units;
}

/** The same for a provider that counts thoughts only in the total: what is not input there is output. */
export function readChatUsageByTotal(usage: Json): ReportedUnits | null {
  const units = readChatUsage(usage);
  const read = units === null ? 0 : plus(units.inputTokens, units.outputTokens);
  const thoughts = minus(wholeOf(usage["total_tokens"]), read);
  return units === null || thoughts <= 0
    ? units
    : {
        ...units,
        outputTokens: plus(units.outputTokens, thoughts),
        reasoningTokens: plus(units.reasoningTokens, thoughts),
      };
}

/** Computed in numbers, which is faster: it runs for every call. */
function toTokens(usage: Json): Units {
  const read = firstOf(usage, inputDetails);
  const written = firstOf(usage, outputDetails);
  const totalTokens = wholeOf(usage["total_tokens"]);
  const answerTokens = wholeOf(usage["completion_tokens"] ?? usage["output_tokens"]);
  const thoughtTokens = wholeOf(written["reasoning_tokens"]) || wholeOf(usage["reasoning_tokens"]);
  const outputTokens = answerTokens + thoughtsBeside(usage, totalTokens, answerTokens, thoughtTokens);
  // If only a total is reported, as with ranks, everything that is not output was input.
  const rest = Math.max(totalTokens - outputTokens, 0);
  const promptTokens = wholeOf(usage["prompt_tokens"] ?? usage["input_tokens"] ?? rest);
  // Perplexity counts what it has read on the web beside the prompt, and bills it as input.
  const inputTokens = promptTokens + wholeOf(usage["citation_tokens"]);
  const cached =
    wholeOf(read["cached_tokens"]) ||
    wholeOf(usage["prompt_cache_hit_tokens"]) ||
    wholeOf(usage["cached_tokens"]) ||
    wholeOf(usage["num_cached_tokens"]);
  const cacheReadTokens = atMost(cached, inputTokens);
  const kept =
    wholeOf(read["cache_write_tokens"]) ||
    wholeOf(read["cache_creation_tokens"]) ||
    wholeOf(read["cache_creation_input_tokens"]) ||
    wholeOf(usage["cache_creation_tokens"]);
  return {
    inputTokens: amountOf(inputTokens),
    outputTokens: amountOf(outputTokens),
    cacheReadTokens: amountOf(cacheReadTokens),
    cacheWriteTokens: amountOf(atMost(kept, inputTokens - cacheReadTokens)),
    cacheWrite1hTokens: 0,
    reasoningTokens: amountOf(atMost(thoughtTokens, outputTokens)),
    images: 0,
    audioMs: 0,
    searches: searchesOf(usage),
  };
}

/**
 * Reasoning that is counted beside the answer instead of within it, as far as the report proves that: the total of xAI
 * is all three, and Perplexity names it next to counts that nobody else has.
 */
function thoughtsBeside(usage: Json, totalTokens: number, answerTokens: number, thoughtTokens: number): number {
  const read = wholeOf(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const isInTotal = totalTokens === read + answerTokens + thoughtTokens;
  const isResearch = typeof usage["reasoning_tokens"] === "number" && typeof usage["num_search_queries"] === "number";
  return isInTotal || isResearch ? thoughtTokens : 0;
}

function isInvalidTime(seconds: number): boolean {
  return !(seconds >= 0 && seconds < secondsMax);
}

function firstOf(usage: Json, names: readonly string[]): Json {
  for (const name of names) {
    if (usage[name] !== undefined && usage[name] !== null) {
      return asObject(usage[name]);
    }
  }
  return noDetails;
}

function toMilliseconds(seconds: number): number {
  // Never -0.
  return isInvalidTime(seconds) ? 0 : Math.ceil(seconds * 1000) || 0;
}
