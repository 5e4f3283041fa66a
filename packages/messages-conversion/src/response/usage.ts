import { isJsonObject, type JsonObject } from "../json.ts";
import type { MessagesUsage } from "../messages.ts";

export const noUsage: MessagesUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/**
 * The token counts of an answer. Upstreams count cached and written tokens as part of the prompt; here each token counts
 * once, or clients would think their context full too early.
 */
export function toMessagesUsage(usage: unknown): MessagesUsage {
  if (!isJsonObject(usage)) {
    return { ...noUsage };
  }
  const promptDetails = detailsOf(usage, "prompt_tokens_details");
  const prompt = count(usage["prompt_tokens"]);
  // A part is never reported as more than the whole: that is what the client is charged by.
  const read = Math.min(prompt, count(promptDetails["cached_tokens"]) || count(usage["prompt_cache_hit_tokens"]));
  const written = Math.min(
    prompt - read,
    count(promptDetails["cache_write_tokens"]) ||
      count(promptDetails["cache_creation_tokens"]) ||
      count(usage["cache_creation_tokens"]),
  );
  const output = count(usage["completion_tokens"]);
  const thinking = Math.min(output, count(detailsOf(usage, "completion_tokens_details")["reasoning_tokens"]));
  return {
    input_tokens: prompt - read - written,
    output_tokens: output,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  };
}

function detailsOf(usage: JsonObject, field: string): JsonObject {
  const details = usage[field];
  return isJsonObject(details) ? details : {};
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
