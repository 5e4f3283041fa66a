import type { StopReason } from "../messages.ts";

/** How a response ended, as reported by the upstream. */
export type Ending = {
  readonly finishReason: string | null;
  readonly hasToolUse: boolean;
  readonly hasRefusal: boolean;
  /** The field in which some upstreams name the stop sequence. */
  readonly stoppedBy: unknown;
  readonly stopSequences: readonly string[];
};

const cutShort: ReadonlyMap<string | null, StopReason> = new Map([
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
]);

/** The stop reason; an unknown finish reason is a normal end. */
export function toStopReason(ending: Ending): { stop_reason: StopReason; stop_sequence: string | null } {
  const cut = cutShort.get(ending.finishReason);
  if (cut !== undefined) {
    return { stop_reason: cut, stop_sequence: null };
  }
  if (ending.hasToolUse) {
    return { stop_reason: "tool_use", stop_sequence: null };
  }
  if (ending.hasRefusal) {
    return { stop_reason: "refusal", stop_sequence: null };
  }
  const { stoppedBy } = ending;
  if (typeof stoppedBy === "string" && ending.stopSequences.includes(stoppedBy)) {
    return { stop_reason: "stop_sequence", stop_sequence: stoppedBy };
  }
  return { stop_reason: "end_turn", stop_sequence: null };
}
