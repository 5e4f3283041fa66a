import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { RequestContext } from "./request-context.ts";

/** Fields that are converted, each in a file of its own. */
const convertedFields = [
  ...["messages", "model", "stream", "stream_options", "max_tokens", "max_completion_tokens", "n"],
  ...["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "response_format"],
  ...["reasoning_effort", "reasoning", "thinking", "temperature", "top_p", "stop", "cache_control"],
];

/** Fields that change nothing in a response: who asks, and hints for caches that another provider has. */
const silentFields = [
  ...["user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"],
  "include_reasoning",
];

const knownFields: ReadonlySet<string> = new Set([...convertedFields, ...silentFields]);

/** Values that ask for nothing beyond what every response is like. */
const plainValues: ReadonlyMap<string, ReadonlySet<unknown>> = new Map<string, ReadonlySet<unknown>>([
  ["frequency_penalty", new Set([0])],
  ["presence_penalty", new Set([0])],
  ["logprobs", new Set([false])],
  ["top_logprobs", new Set([0])],
  ["store", new Set([false])],
  ["service_tier", new Set(["auto", "default"])],
]);

/**
 * Names what the request asks for and a Messages upstream does not have.
 * @throws ConversionError for what a response without it would be wrong
 */
export function noteDroppedFields(request: FieldReader, context: RequestContext): void {
  if ((request.number("n") ?? 1) !== 1) {
    throw new ConversionError("This model gives one choice: 'n' must be 1.", "n");
  }
  if (request.has("web_search_options")) {
    throw new ConversionError("Web search is not supported by this model.", "web_search_options");
  }
  for (const [name, value] of Object.entries(request.value)) {
    if (value !== null && !knownFields.has(name) && !isPlain(name, value)) {
      context.dropped.add(name);
    }
  }
}

function isPlain(name: string, value: unknown): boolean {
  if (name === "modalities") {
    return Array.isArray(value) && value.every((entry) => entry === "text");
  }
  if (name === "logit_bias") {
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
  }
  return plainValues.get(name)?.has(value) ?? false;
}
