import type { JsonObject } from "@sluice/messages-conversion/json";
import type { FieldReader } from "../field-reader.ts";
import type { ConversionSettings } from "../model.ts";

/** How a response ended. */
export type ResponseEnding = {
  readonly status: "in_progress" | "completed" | "incomplete";
  /** Why it is incomplete. */
  readonly reason: "max_output_tokens" | "content_filter" | null;
};

/** What a response repeats of its request, with the values that apply to what was left out. */
export function factsOf(request: FieldReader, settings: ConversionSettings): JsonObject {
  const text = request.object("text");
  const reasoning = request.object("reasoning");
  return {
    object: "response",
    created_at: settings.nowSeconds,
    completed_at: null,
    background: false,
    error: null,
    instructions: request.get("instructions"),
    max_output_tokens: request.get("max_output_tokens"),
    max_tool_calls: request.get("max_tool_calls"),
    model: settings.clientModel,
    parallel_tool_calls: request.get("parallel_tool_calls") ?? true,
    previous_response_id: null,
    prompt_cache_key: request.get("prompt_cache_key"),
    reasoning: { effort: reasoning?.get("effort") ?? null, summary: reasoning?.get("summary") ?? null },
    safety_identifier: request.get("safety_identifier"),
    service_tier: "default",
    store: false,
    temperature: request.get("temperature"),
    text: {
      format: text?.get("format") ?? { type: "text" },
      ...(text?.has("verbosity") ? { verbosity: text.get("verbosity") } : {}),
    },
    tool_choice: request.get("tool_choice") ?? "auto",
    tools: request.get("tools") ?? [],
    top_logprobs: 0,
    top_p: request.get("top_p"),
    truncation: "disabled",
    access_programs: null,
    user: request.get("user"),
    metadata: request.get("metadata") ?? {},
  };
}
