import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import type { MessagesEvent } from "@sluice/messages-conversion/messages";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import { type ClientEvent, ConversionError, type JsonObject, type StreamConverter } from "../model.ts";

/** The chunks of a chat completion as the events of a message; its end is held back until the stream has ended. */
export class MessageEvents implements StreamConverter {
  readonly #stream: MessagesStream;
  #held: MessagesEvent[] = [];

  constructor(facts: AnswerFacts, ids: AnswerIds, inputTokens: number) {
    // The events do not depend on the time: the gateway bounds the silence.
    this.#stream = new MessagesStream({ facts, ids, inputTokens, nowMs: 0 });
  }

  take(payload: JsonObject): readonly ClientEvent[] {
    const events = this.#reduce({ kind: "chunk", chunk: payload });
    const end = this.#held.length > 0 ? 0 : events.findIndex(({ type }) => type === "message_delta");
    if (end === -1) {
      return events.map(toClientEvent);
    }
    this.#held.push(...events.slice(end));
    return events.slice(0, end).map(toClientEvent);
  }

  end(): readonly ClientEvent[] {
    return [...this.#held.splice(0), ...this.#reduce({ kind: "done" })].map(toClientEvent);
  }

  #reduce(input: Parameters<MessagesStream["reduce"]>[0]): MessagesEvent[] {
    const events = this.#stream.reduce(input, 0);
    const { failure } = this.#stream;
    if (failure !== null) {
      throw new ConversionError(failure.message);
    }
    return events;
  }
}

function toClientEvent(event: MessagesEvent): ClientEvent {
  return { event: event.type, data: { ...event } };
}
