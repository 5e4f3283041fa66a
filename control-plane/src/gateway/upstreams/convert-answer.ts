import {
  type AnswerConverter,
  type ClientEvent,
  ConversionError,
  type JsonObject,
  type StreamConverter,
} from "@sluice/dialect-conversion/model";

/** A complete response in the client's dialect; null if the upstream's can't be converted. */
export function convertWhole(body: Buffer, answers: AnswerConverter): JsonObject | null {
  try {
    return answers.whole(JSON.parse(body.toString("utf8")));
  } catch (error) {
    if (error instanceof ConversionError || error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

/** A converted response as the events of a stream; null where it is sent as it is. */
export function toEventBytes(response: JsonObject, { events }: AnswerConverter, skipped = 0): Buffer | null {
  return events === undefined ? null : Buffer.from(events(response).slice(skipped).map(toText).join(""));
}

/** Turns the payloads of an upstream's events into the bytes of a client's events. */
export class EventConverter {
  readonly #stream: StreamConverter;

  constructor(stream: StreamConverter) {
    this.#stream = stream;
  }

  /** The events that follow from one payload; null if it can't be converted. */
  take(payload: JsonObject): Buffer | null {
    return encode(() => this.#stream.take(payload));
  }

  /** What keeps a waiting client, or null. */
  idle(): Buffer | null {
    return this.#stream.idle === undefined ? null : encode(() => this.#stream.idle?.() ?? []);
  }

  /** The last events of a complete stream. */
  end(): Buffer | null {
    return encode(() => this.#stream.end());
  }
}

function encode(convert: () => readonly ClientEvent[]): Buffer | null {
  try {
    return Buffer.from(convert().map(toText).join(""));
  } catch (error) {
    if (error instanceof ConversionError) {
      return null;
    }
    throw error;
  }
}

/** JSON has no line breaks, so one line holds the data of an event. */
function toText({ event, data }: ClientEvent): string {
  const line = `data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;
  return event === null ? line : `event: ${event}\n${line}`;
}
