import { isJsonObject, type JsonObject } from "../json.ts";
import type { MessagesUsage } from "../messages.ts";

export const noUsage: MessagesUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/**
 * The token counts of a response, read in the way in which the gateway reads the counts it charges. Upstreams include
 * cached and written tokens in the prompt; here each token counts once, or clients would consider their context full
 * too early.
 */
export function toMessagesUsage(usage: unknown): MessagesUsage {
  if (!isJsonObject(usage)) {
    return { ...noUsage };
  }
  const promptDetails = detailsOf(usage, "prompt_tokens_details", "input_tokens_details");
  // Perplexity counts what it has read on the web beside the prompt.
  const prompt = count(usage["prompt_tokens"] ?? usage["input_tokens"]) + count(usage["citation_tokens"]);
  const cached = firstCount(
    promptDetails["cached_tokens"],
    usage["prompt_cache_hit_tokens"],
    usage["cached_tokens"],
    usage["num_cached_tokens"],
  );
  const kept = firstCount(
    promptDetails["cache_write_tokens"],
    promptDetails["cache_creation_tokens"],
    promptDetails["cache_creation_input_tokens"],
    usage["cache_creation_tokens"],
  );
  // A part is never reported as more than the whole, which the client is charged by.
  const read = Math.min(prompt, cached);
  const written = Math.min(prompt - read, kept);
  const answerDetails = detailsOf(usage, "completion_tokens_details", "output_tokens_details");
  const reasoning = firstCount(answerDetails["reasoning_tokens"], usage["reasoning_tokens"]);
  const answer = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  const output = isReasoningBeside(usage, answer, reasoning) ? answer + reasoning : answer;
  const thinking = Math.min(output, reasoning);
  return {
    input_tokens: prompt - read - written,
    output_tokens: output,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  };
}

/** xAI counts reasoning beside the answer, and its total is all three; Perplexity does so in its research. */
function isReasoningBeside(usage: JsonObject, answer: number, reasoning: number): boolean {
  const prompt = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const isResearch = typeof usage["reasoning_tokens"] === "number" && typeof usage["num_search_queries"] === "number";
  return isResearch || count(usage["total_tokens"]) === prompt + answer + reasoning;
}

function detailsOf(usage: JsonObject, name: string, otherName: string): JsonObject {
  const details = usage[name] ?? usage[otherName];
  return isJsonObject(details) ? details : {};
}

function firstCount(...values: readonly unknown[]): number {
  return values.map(count).find((value) => value > 0) ?? 0;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
