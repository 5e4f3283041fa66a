import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { DroppedNames } from "./dropped-names.ts";

/** Fields that are converted, or read elsewhere. */
const convertedFields = [
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "text", "reasoning"],
  ...["max_output_tokens", "temperature", "top_p", "prompt_cache_key"],
];
/** Fields that have no effect on what the model says. */
const harmlessTexts = ["user", "safety_identifier"];
const harmlessObjects = ["metadata", "client_metadata", "stream_options"];
/** Fields that refer to what a provider stored. */
const storedFields = ["previous_response_id", "conversation", "prompt"];
/** Values that ask for nothing, by field. */
const defaults: ReadonlyMap<string, readonly unknown[]> = new Map([
  ["service_tier", ["auto", "default"]],
  ["truncation", ["disabled"]],
  ["top_logprobs", [0]],
]);

const quietFields = new Set([
  ...[...convertedFields, ...harmlessTexts, ...harmlessObjects, ...storedFields],
  ...["store", "background", "include", "max_tool_calls"],
]);

/**
 * Refuses what needs a provider that stores responses, and checks and names what is left out.
 * @throws ConversionError
 */
export function checkRequest(request: FieldReader, dropped: DroppedNames): void {
  refuseStored(request);
  for (const name of harmlessTexts) {
    request.text(name);
  }
  for (const name of harmlessObjects) {
    request.object(name);
  }
  request.flag("store");
  // It limits tools that a provider runs, and none of these is left.
  request.number("max_tool_calls");
  checkInclude(request, dropped);
  for (const name of Object.keys(request.value)) {
    const value = request.get(name);
    if (value !== null && !quietFields.has(name) && !defaults.get(name)?.includes(value)) {
      dropped.add(name);
    }
  }
}

function refuseStored(request: FieldReader): void {
  for (const name of storedFields) {
    if (request.has(name)) {
      const message = `'${name}' needs a provider that stores responses. Send the whole conversation in 'input'.`;
      throw new ConversionError(message, name);
    }
  }
  if (request.flag("background") === true) {
    throw new ConversionError("This model does not work in the background.", "background");
  }
}

function checkInclude(request: FieldReader, dropped: DroppedNames): void {
  for (const [index, value] of (request.list("include") ?? []).entries()) {
    if (typeof value !== "string") {
      throw new ConversionError(`'include[${index}]' must be a string.`, `include[${index}]`);
    }
    if (value === "message.output_text.logprobs") {
      dropped.add(value);
    }
  }
}
