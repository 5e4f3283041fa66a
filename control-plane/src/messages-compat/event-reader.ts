import { createParser, ParseError } from "eventsource-parser";

type ReceivedEvent = {
  /** The type of the event; "" when the sender gave none. */
  readonly event: string;
  readonly data: string;
};

const heldLengthMaxDefault = 4_194_304;

/**
 * Reads a stream of events packet by packet; packets may end anywhere, even inside a character. The beginning of an
 * unfinished event is kept, up to a limit.
 */
export class EventReader {
  // The parser removes the byte order mark.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #parser;
  #events: ReceivedEvent[] = [];

  constructor(heldLengthMax: number = heldLengthMaxDefault) {
    this.#parser = createParser({
      maxBufferSize: heldLengthMax,
      onEvent: ({ event = "", data }) => {
        this.#events.push({ event, data });
      },
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") {
          throw error;
        }
      },
    });
  }

  /**
   * @returns the events that this packet completed
   * @throws ParseError when an event exceeds the limit; nothing can be read after it
   */
  push(packet: Uint8Array): readonly ReceivedEvent[] {
    return this.#read(this.#decoder.decode(packet, { stream: true }));
  }

  /**
   * The stream is over.
   * @returns the last event if its closing empty line never came. The format says to drop it, but some senders omit
   * that line, and a caller can recognise an incomplete event by its data
   * @throws ParseError as push does
   */
  end(): readonly ReceivedEvent[] {
    return this.#read(`${this.#decoder.decode()}\n\n`);
  }

  #read(text: string): readonly ReceivedEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Whether the reader refused its input for its length. */
export function isTooLong(error: unknown): error is ParseError {
  return error instanceof ParseError;
}
