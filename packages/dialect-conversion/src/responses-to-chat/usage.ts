import type { JsonObject } from "@sluice/messages-conversion/json";
import { toMessagesUsage } from "@sluice/messages-conversion/response/usage";

/** The usage of a chat completion, with the counts of parts inside those of the whole. */
export function toResponsesUsage(usage: JsonObject): JsonObject {
  const counts = toMessagesUsage(usage);
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written, output_tokens: output } = counts;
  const input = counts.input_tokens + read + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: counts.output_tokens_details?.thinking_tokens ?? 0 },
    total_tokens: input + output,
  };
}
