/** The types of the chat-completions format that a converted response consists of. */

export type ReasoningDetail = {
  type: "reasoning.text" | "reasoning.encrypted";
  /** Where the block was in its message, so that it can return there. */
  id: string;
  format: string;
  /** The ordinal among the entries; clients put streamed entries together by it. */
  index: number;
  text?: string;
  signature?: string;
  data?: string;
};

export type Annotation = {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
};

export type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Reasons that are new to us end a response as usual, because it is complete. */
export function toFinishReason(stopReason: unknown): FinishReason {
  return finishReasons.get(stopReason) ?? "stop";
}
