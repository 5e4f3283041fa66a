import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { keepPiece } from "./call-state.ts";
import { droppedHeaders } from "./dropped-headers.ts";
import { EarlyStream, encodeEvents, headEvents } from "./early-stream.ts";
import type { AdmittedCall, CallState } from "./model.ts";
import type { AnswerReceiver } from "./port.ts";
import { withCallId } from "./respond/write-error.ts";
import { countInput } from "./settle/measure-usage.ts";
import { clientModelOf, makeAnswerId } from "./upstreams/answer-names.ts";

/**
 * The beginning of the response to a stream of the Messages API.
 * @param receiver takes the response, or its beginning
 * @param notice adds the headers that the response has in any case
 */
export function openEarlyStream(
  state: CallState,
  receiver: AnswerReceiver,
  notice: (headers: Record<string, string>) => Record<string, string>,
): EarlyStream {
  return new EarlyStream({
    receiver,
    headers: () => withCallId(notice({ ...droppedHeaders(state.dropped, state.call.path) }), state),
    onSent: (piece) => {
      keepPiece(state, piece);
      state.isStream = true;
    },
    postscript: () => state.call.postscript?.() ?? null,
  });
}

/** The events with which a message begins, when nothing is known of it yet. */
export function messageHead(state: AdmittedCall): Buffer {
  const events = toMessageEvents({
    id: `msg_${makeAnswerId()}`,
    type: "message",
    role: "assistant",
    model: clientModelOf(state),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: countInput(state.request),
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  });
  return encodeEvents(events.slice(0, headEvents));
}
