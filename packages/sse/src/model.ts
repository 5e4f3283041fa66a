/** One event of a stream, as the `text/event-stream` format of HTML defines it. */
export type SseEvent = {
  /** The value of the `event` field; "" when the sender named none. */
  readonly event: string;
  /** The `data` lines joined by line feeds. */
  readonly data: string;
  /** The last id that the stream has set so far; "" before the first. */
  readonly id: string;
};

/** What may be held of a stream before it counts as broken; lengths are UTF-16 units, never less than one per byte of ASCII. */
export type SseLimits = {
  /** The longest single line. */
  readonly lineLengthMax: number;
  /** The longest `data` of one event, all its lines together. */
  readonly eventLengthMax: number;
};

export const defaultSseLimits: SseLimits = { lineLengthMax: 4_194_304, eventLengthMax: 4_194_304 };

/** A stream that holds a line or an event beyond the limits; the parser that threw it takes no more bytes. */
export class SseLimitError extends Error {
  readonly limit: "line" | "event";
  readonly lengthMax: number;

  constructor(limit: "line" | "event", lengthMax: number) {
    super(`the ${limit} is longer than ${lengthMax} characters`);
    this.name = "SseLimitError";
    this.limit = limit;
    this.lengthMax = lengthMax;
  }
}
