import type { StreamEnding } from "../../model.ts";
import type { StreamForm } from "../../operations/model.ts";
import type { EventConverter } from "../../upstreams/convert-answer.ts";
import type { EventText, EventTexts, UnreportedTexts } from "../../usage-count/model.ts";
import type { StreamKind } from "./shared-shapes.ts";

/** The bytes that the client still gets once the call is settled. */
export type StreamClosing = {
  /** Replaces the last bytes: an event that says what went wrong. Null if nothing did. */
  readonly errorEvent: Uint8Array | null;
  /** What follows the last event for a relay of this deployment; null for everyone else. */
  readonly postscript: Uint8Array | null;
  /** Even after an error the body ends in an orderly way; absent where the connection is broken. */
  readonly isOrderly?: boolean;
};

/** Keeps a copy of what is sent. */
export interface SentKeeper {
  keepPart(packet: Buffer, start: number, end: number): void;
}

/** What the stream needs from its call. */
export interface StreamOwner {
  readonly form: StreamForm;
  /** Streams of the same kind and form share what they have learned about their events. */
  readonly kind: StreamKind;
  /** Converts the events for a client of another dialect; null passes them on as they are. */
  readonly converter: EventConverter | null;
  /** Changes the first event on its way; null leaves it as it is. */
  readonly editFirst?: ((event: Buffer) => Buffer) | null;
  /** What the client gets after a silence, if anything; null where it waits for as long as the upstream is silent. */
  readonly idle?: (() => Buffer | null) | null;
  /** We requested the usage chunk, not the client. */
  readonly hidesUsage: boolean;
  /** The upstream is known to end its streams without an end mark. */
  readonly isWholeAtEof?: boolean;
  /** A client that reads nothing for this long is treated as gone. */
  readonly stallTimeoutMs: number;
  /** How long, and how many bytes, to keep reading the upstream after the client has left, to learn the call's cost. */
  readonly afterAbort: { readonly timeoutMs: number; readonly bytesMax: number };
  /** Milliseconds until the first event must arrive, after bytes that are not yet an event. */
  firstEventMs(): number;
  /** The bytes of a packet from `start` to `end` are sent to the client. */
  onSent(packet: Buffer, start: number, end: number): void;
  /** Replaces `onSent` between the first bytes and the last, if what is sent is only kept. */
  readonly keeper?: SentKeeper | null;
  /** The last bytes of a complete stream, which are sent once the call is settled. */
  onLast?(piece: Buffer): void;
  /** Receives the payload of each event. An event after the client has left was not delivered. */
  onPayload(payload: Record<string, unknown>, isDelivered: boolean): void;
  /** The text that the payload of an event counts as; null if it counts as anything else, too. */
  textOf(payload: Record<string, unknown>): EventText | null;
  /** From the event whose text comes next, events say what this payload says, apart from their texts, ids and times. */
  onShape(payload: Record<string, unknown>): void;
  /**
   * Receives the texts of events that were delivered, in place of their payloads: the first one that is not empty immediately,
   * and those of several events together later.
   */
  onTexts(texts: EventTexts): void;
  /** Called first. What has to know what was delivered asks there for the texts that are not reported yet. */
  follow(unreported: UnreportedTexts): void;
  /**
   * The stream is over. `onSettled` releases the last bytes. It is called once, by the end of this turn: what their packet had
   * before them waits, too, so that they go out in one write.
   */
  onEnding(ending: StreamEnding, onSettled: (closing: StreamClosing) => void): void;
  /** What was thrown while the events passed, which is a bug of ours. The stream ends as one that was cut. */
  onFailure?(error: unknown): void;
  /** The last byte of a complete stream was sent. */
  onWhole?(): void;
}
