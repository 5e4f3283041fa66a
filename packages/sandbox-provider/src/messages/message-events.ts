/** The events of a streamed message, in the order in which the real provider sends them. */
import type { JsonObject } from "../api/prompt.ts";
import type { SseEvent } from "../wire/plan.ts";
import type { OutputBlock } from "./output-blocks.ts";

type MessageStream = {
  readonly start: JsonObject;
  readonly blocks: readonly OutputBlock[];
  /** How the message ends. */
  readonly end: JsonObject;
  /** The usage at the end; null when it is left out. */
  readonly usage: JsonObject | null;
};

export function* messageEvents({ start, blocks, end, usage }: MessageStream): Iterable<SseEvent> {
  yield event("message_start", { message: start });
  yield event("ping", {});
  for (const [index, block] of blocks.entries()) {
    yield event("content_block_start", { index, content_block: block.begun });
    for (const delta of block.deltas()) {
      yield event("content_block_delta", { index, delta });
    }
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", { delta: end, ...(usage === null ? {} : { usage }) });
  yield event("message_stop", {});
}

function event(name: string, fields: JsonObject): SseEvent {
  return { name, data: JSON.stringify({ type: name, ...fields }) };
}
