/** Usage as in Messages: three counts of input that do not overlap, and the output with its thinking. */
import type { JsonObject } from "../api/prompt.ts";
import type { TokenCounts } from "../api/usage.ts";
import type { Behaviour } from "../script/behaviour.ts";

/** The usage of a whole answer. */
export function messageUsage(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  return { ...inputUsage(counts), ...outputUsage(counts), service_tier: "standard", ...geography, ...behaviour.usage };
}

/** The usage at the start of a stream, when the output has just begun. */
export function usageAtStart(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  const usage = { ...inputUsage(counts), output_tokens: Math.min(1, counts.completion), service_tier: "standard" };
  return { ...usage, ...geography, ...(behaviour.usageAtStart ?? behaviour.usage) };
}

/** The usage at the end of a stream: everything so far, but not by lifetime of what was written. */
export function usageAtEnd(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  const { cache_creation: _byLifetime, ...input } = inputUsage(counts);
  return { ...input, ...outputUsage(counts), ...behaviour.usage };
}

const geography = { inference_geo: "not_available" };

function inputUsage({ prompt, cached, written5m, written1h }: TokenCounts) {
  return {
    input_tokens: Math.max(0, prompt - cached - written5m - written1h),
    cache_creation_input_tokens: written5m + written1h,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
  };
}

function outputUsage({ completion, reasoning, searches }: TokenCounts): JsonObject {
  return {
    output_tokens: completion,
    ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }),
  };
}
