import { AppError } from "../../platform/errors.ts";
import { optionTable } from "./option-table.ts";

/**
 * The names for the limit on a response's tokens, in all dialects: a provider may know any of them. Those of our
 * dialects come first.
 */
export const outputLimits = [
  ...["max_tokens", "max_completion_tokens", "max_output_tokens"],
  ...["max_new_tokens", "max_tokens_to_sample", "max_gen_len", "max_length", "num_predict", "n_predict"],
] as const;

/** The thinking budget of providers whose response limit does not include it. */
export const thinkingLimit = "thinking_budget";

/** Fields that are read here, besides those of the table of options. */
const readNames = [
  ...["model", "stream", "stream_options", "n", ...outputLimits, thinkingLimit],
  ...["system", "context_management", "compaction"],
  ...["messages", "input", "prompt", "tools", "functions", "tool_choice", "documents", "query"],
  ...["size", "quality", "input_fidelity", "partial_images"],
];
/** Names in messages, items and tools that are read here. */
const innerNames = [
  ...["type", "role", "content", "id", "tools", "function", "custom", "execution", "environment", "audio"],
  ...[
    "image_url",
    "input_audio",
    "file",
    "file_id",
    "file_ids",
    "file_data",
    "vector_store_ids",
    "url",
    "include_usage",
  ],
];

/** Parts of an event of a realtime session. */
const eventNames = ["type", "session", "response", "item", "event_id"];

/** Names in nearly every request that mean nothing here; they are skipped early. */
const plainNames = [
  ...["temperature", "top_p", "stop", "seed", "user", "metadata", "response_format", "parallel_tool_calls", "include"],
  ...["reasoning", "reasoning_effort", "instructions", "text", "prompt_cache_key", "truncation", "verbosity"],
  ...["frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "logit_bias", "top_k", "stop_sequences"],
  ...["thinking", "output_config", "safety_identifier", "max_tool_calls"],
];
const plainInnerNames = [
  ...["text", "name", "tool_calls", "tool_call_id", "description", "parameters", "strict", "arguments", "call_id"],
  ...["status", "summary", "encrypted_content", "output", "annotations", "detail", "cache_control", "refusal"],
  ...["tool_use_id", "input", "input_schema", "is_error", "thinking", "signature", "citations", "media_type", "title"],
  ...["function_call", "reasoning_content", "reasoning", "logprobs", "phase", "properties", "required", "format"],
];

type Names = {
  readonly known: ReadonlySet<string>;
  /** The known names, and plain names that do not resemble them. */
  readonly passed: ReadonlySet<string>;
  /** The known names, reduced to letters and digits. */
  readonly folded: ReadonlySet<string>;
};

function namesOf(names: readonly string[], plain: readonly string[] = []): Names {
  const folded = new Set(names.map(fold));
  const harmless = plain.filter((name) => !folded.has(fold(name)));
  return { known: new Set(names), passed: new Set([...names, ...harmless]), folded };
}
const requestNames = namesOf([...readNames, ...optionTable.keys()], plainNames);
const objectNames = namesOf(innerNames, plainInnerNames);
const blockNames = namesOf([...innerNames, "source", "data", "definition"], plainInnerNames);
const partNames = namesOf(eventNames);
const soundNames = namesOf(["audio", "input", "transcription", "input_audio_transcription", "model"]);

/** Names of request fields that pass as they are: known ones, and plain ones without a meaning here. */
export const plainRequestNames = requestNames.passed;

/**
 * Refuses a field that parsers which ignore case, separators, or letter forms would take for another one: it would
 * count there without having been checked here.
 * @throws AppError `unknown_field`
 */
export function refuseDisguise(name: string, param = name): void {
  if (isAlike(name, requestNames)) {
    throw unknownField(param);
  }
}

/** Refuses such a field in a message, an item or a tool. @throws AppError `unknown_field` */
export function refuseInnerDisguise(name: string, param: string): void {
  if (isAlike(name, objectNames)) {
    throw unknownField(`${param}.${name}`);
  }
}

/** Refuses such fields in an entry of a list. @throws AppError `unknown_field` */
export function refuseDisguisesIn(entry: Readonly<Record<string, unknown>>, list: string, index: number): void {
  for (const name in entry) {
    if (isAlike(name, objectNames)) {
      throw unknownField(`${list}[${index}].${name}`);
    }
  }
}

/** Refuses such a field in a block of the Messages API. @throws AppError `unknown_field` */
export function refuseBlockDisguise(name: string, param: string): void {
  if (isAlike(name, blockNames)) {
    throw unknownField(`${param}.${name}`);
  }
}

/** Refuses such a part of an event. @throws AppError `unknown_field` */
export function refuseEventDisguise(name: string): void {
  if (isAlike(name, partNames)) {
    throw unknownField(name);
  }
}

/** Refuses such a field on the path to a session's transcription settings. @throws AppError `unknown_field` */
export function refuseSoundDisguise(name: string, param: string): void {
  if (isAlike(name, soundNames)) {
    throw unknownField(param);
  }
}

/** Whether a request field is read or checked here under exactly this name. */
export function isKnownName(name: string): boolean {
  return requestNames.known.has(name);
}

function isAlike(name: string, { passed, folded }: Names): boolean {
  return !passed.has(name) && folded.has(fold(name));
}

function unknownField(param: string): AppError {
  return new AppError("unknown_field", { message: "A field name is almost the same as another one.", param });
}

/** Upper case first: some lower-case letters, such as the long s, only then become what other parsers take them for. */
function fold(name: string): string {
  return name
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}
