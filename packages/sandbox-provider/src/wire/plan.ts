/** What is sent for one request, piece by piece, and how the connection ends afterwards. */
export type AnswerHeader = readonly [name: string, value: string];

export type SseEvent = { readonly name?: string; readonly data: string };

/** How the events of a dialect look where a behaviour changes or adds some. */
export type StreamForm = {
  /** The name in the `event:` line of an event that a script gives. */
  readonly nameOf: (event: Readonly<Record<string, unknown>>) => string | null;
  /** Whether this event only says that the stream is complete. */
  readonly isEnd: (event: SseEvent) => boolean;
  /** What follows the events that a script gives. */
  readonly end: SseEvent | null;
  readonly errorEvent: (message: string) => SseEvent;
};

/** What the API responds, before any behaviour affects how it is sent. */
export type Answer = {
  readonly status: number;
  readonly headers: readonly AnswerHeader[];
  /** By default, events have no names and end with `[DONE]`. */
  readonly form?: StreamForm;
  readonly body:
    | { readonly kind: "whole"; readonly bytes: Uint8Array }
    /** The events are computed while they are sent, so that a stream may be longer than memory. */
    | { readonly kind: "events"; readonly events: Iterable<SseEvent> };
};

export type Piece = {
  readonly bytes: Uint8Array;
  /** How long to wait before this piece, counted from the moment at which the previous piece was due. */
  readonly delayMs: number;
  /** The number of chunks that are complete once this piece was sent. */
  readonly chunks: number;
  /** The request has to be released before this piece. */
  readonly isHeld?: boolean;
  /** The piece is written separately, with a turn of the event loop before and after it. */
  readonly standsAlone?: boolean;
};

export type Ending =
  | { readonly kind: "keep-alive" }
  /** The end comes early if the client may still be sending the body of its request. */
  | { readonly kind: "fin"; readonly isCut: boolean; readonly isEarly?: boolean }
  | { readonly kind: "rst"; readonly lingerMs: number };

export type Plan = {
  /** Null when the bytes are given by `raw`. */
  readonly status: number | null;
  readonly pieces: Iterable<Piece>;
  readonly ending: Ending;
};

/** The bytes of a text with one byte per character. */
export function latin1(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}

export function joinBytes(pieces: Iterable<Piece>): Uint8Array {
  return Buffer.concat(Array.from(pieces, (piece) => piece.bytes));
}
