import { isGiven, isJsonObject, type JsonObject } from "../json.ts";
import type { RequestContext } from "./context.ts";

/** Fields that other code reads. */
const readFields = new Set([
  ...["model", "messages", "max_tokens", "system", "stream", "stop_sequences", "temperature", "top_p", "top_k"],
  ...["metadata", "tools", "tool_choice", "thinking", "output_config", "output_format", "service_tier"],
]);

/** Values with which a field has no effect. */
const emptyValues: Readonly<Record<string, unknown>> = { speed: "standard", inference_geo: "global" };

/** Notes the fields that have no counterpart. They are not an error: clients send many of them with every call. */
export function noteUnknownFields(body: JsonObject, context: RequestContext): void {
  for (const [field, value] of Object.entries(body)) {
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (!readFields.has(field) && isGiven(value) && !isEmptyList && emptyValues[field] !== value) {
      context.dropped.add(field);
    }
  }
  const { output_config: config } = body;
  for (const [field, value] of Object.entries(isJsonObject(config) ? config : {})) {
    if (field !== "effort" && field !== "format" && isGiven(value)) {
      context.dropped.add(`output_config.${field}`);
    }
  }
}
