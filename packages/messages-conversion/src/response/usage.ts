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
  const prompt = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  // A part is never reported as more than the whole, which the client is charged by.
  const read = Math.min(prompt, count(promptDetails["cached_tokens"]) || count(usage["prompt_cache_hit_tokens"]));
  const written = Math.min(
    prompt - read,
    count(promptDetails["cache_write_tokens"]) ||
      count(promptDetails["cache_creation_tokens"]) ||
      count(usage["cache_creation_tokens"]),
  );
  const answerDetails = detailsOf(usage, "completion_tokens_details", "output_tokens_details");
  const reasoning = count(answerDetails["reasoning_tokens"]);
  const answer = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  // xAI counts reasoning beside the answer; its total then is all three.
  const isBeside = count(usage["total_tokens"]) === prompt + answer + reasoning;
  const output = isBeside ? answer + reasoning : answer;
  const thinking = Math.min(output, reasoning);
  return {
    input_tokens: prompt - read - written,
    output_tokens: output,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  };
}

function detailsOf(usage: JsonObject, name: string, otherName: string): JsonObject {
  const details = usage[name] ?? usage[otherName];
  return isJsonObject(details) ? details : {};
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
