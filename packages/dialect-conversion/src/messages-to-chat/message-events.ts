import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import type { MessagesEvent } from "@sluice/messages-conversion/messages";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import type { StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import { type ClientEvent, ConversionError, type JsonObject, type StreamConverter } from "../model.ts";

/** A silence after which the client gets a sign of life. */
const silenceMs = 10_000;
const ping: ClientEvent = { event: "ping", data: { type: "ping" } };

/** The chunks of a chat completion as the events of a message; its end is held back until the stream has ended. */
export class MessageEvents implements StreamConverter {
  readonly #stream: MessagesStream;
  #held: MessagesEvent[] = [];
  /** The time of the stream, which only silence lets pass. */
  #nowMs = 0;

  constructor(facts: AnswerFacts, ids: AnswerIds, inputTokens: number) {
    this.#stream = new MessagesStream({ facts, ids, inputTokens, nowMs: 0 });
  }

  take(payload: JsonObject): readonly ClientEvent[] {
    return this.#takeInput({ kind: "chunk", chunk: payload });
  }

  end(): readonly ClientEvent[] {
    return [...this.#held.splice(0), ...this.#reduce({ kind: "done" })].map(toClientEvent);
  }

  idle(): readonly ClientEvent[] {
    this.#nowMs += silenceMs;
    const events = this.#takeInput({ kind: "tick" });
    return events.length === 0 ? [ping] : events;
  }

  #takeInput(input: StreamInput): readonly ClientEvent[] {
    const events = this.#reduce(input);
    const end = this.#held.length > 0 ? 0 : events.findIndex(({ type }) => type === "message_delta");
    if (end === -1) {
      return events.map(toClientEvent);
    }
    this.#held.push(...events.slice(end));
    return events.slice(0, end).map(toClientEvent);
  }

  #reduce(input: StreamInput): MessagesEvent[] {
    const events = this.#stream.reduce(input, this.#nowMs);
    const { failure } = this.#stream;
    if (failure !== null) {
      throw new ConversionError(failure.message);
    }
    return events;
  }
}

export function toClientEvent(event: MessagesEvent): ClientEvent {
  return { event: event.type, data: { ...event } };
}
