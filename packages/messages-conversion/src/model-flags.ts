/** The effort that a model may spend on thinking, in ascending order. */
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * What one upstream model supports, and the forms that it expects. The names are those of the stored model map, so that
 * a stored object can be used unchanged; `completeModelFlags` fills in the missing ones.
 */
export type ModelFlags = {
  /** The name of the output limit; only one is ever sent. */
  readonly token_param: "max_tokens" | "max_completion_tokens";
  /** A larger output limit is lowered to this value; null for no maximum. */
  readonly max_output: number | null;
  readonly reasoning: boolean;
  /** The efforts that the model supports; only read when `reasoning` is on. */
  readonly reasoning_efforts: readonly ReasoningEffort[];
  /** False for models that refuse tools together with an effort: with tools they are sent "none". */
  readonly effort_with_tools: boolean;
  /** False for models that refuse temperature, top_p and top_k. */
  readonly sampling: boolean;
  readonly vision: boolean;
  /** Whether PDF documents are accepted as file parts. */
  readonly files: boolean;
  /**
   * What to do with a system message in the middle: keep it, send it as the user's, move it to the front, or refuse it.
   */
  readonly mid_system: "keep" | "user" | "hoist" | "refuse";
  /** Whether earlier thinking is sent back upstream as `reasoning_content`. */
  readonly reasoning_history: "drop" | "keep";
  readonly top_k: "drop" | "send";
  /** How many stop sequences are supported; null for no limit, 0 for a model without them. */
  readonly stop_limit: number | null;
  /** Whether `parallel_tool_calls` is supported. */
  readonly parallel_flag: boolean;
  /** The field for the client's user id. */
  readonly user_field: "drop" | "user" | "safety_identifier";
  readonly service_tier: boolean;
  readonly json_schema: boolean;
  /** Whether `stream_options.include_usage` is supported. */
  readonly include_usage: boolean;
  /** Replaces the text of an assistant message that only calls tools. */
  readonly empty_content: "null" | "empty_string";
  /** Joins consecutive messages of the same role, for templates that insist on alternating turns. */
  readonly merge: boolean;
  /** A stream that ends without finish reason and without `[DONE]` counts as complete. */
  readonly lenient_eof: boolean;
  /** Text between `<think>` and `</think>` at the beginning of a response is thinking. */
  readonly split_think: boolean;
};

export const defaultModelFlags: ModelFlags = {
  token_param: "max_tokens",
  max_output: null,
  reasoning: false,
  reasoning_efforts: ["low", "medium", "high"],
  effort_with_tools: true,
  sampling: true,
  vision: true,
  files: false,
  mid_system: "keep",
  reasoning_history: "drop",
  top_k: "drop",
  stop_limit: null,
  parallel_flag: true,
  user_field: "drop",
  service_tier: false,
  json_schema: true,
  include_usage: true,
  empty_content: "null",
  merge: false,
  lenient_eof: false,
  split_think: false,
};

/** The flags of a model; only the unusual ones are stored. */
export function completeModelFlags(stored: Partial<ModelFlags>): ModelFlags {
  return { ...defaultModelFlags, ...stored };
}
