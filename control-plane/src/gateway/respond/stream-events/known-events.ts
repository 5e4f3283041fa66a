import type { StreamForm } from "../../operations/model.ts";
import type { EventTexts, UnreportedTexts } from "../../usage-count/model.ts";
import type { SeenEvent } from "./event-scan.ts";
import type { EventShape, TextOf } from "./event-shape.ts";
import type { SharedShapes } from "./shared-shapes.ts";

/** How often a stream may look for a shape in vain. A search takes as long as parsing a few events, or ten if one is found. */
const attemptsMax = 6;
/** A shape that this many events had was worth looking for: others may be looked for again. */
const matchesWorth = 64;
/** A longer event is parsed each time. */
const eventBytesMax = 4_096;
const lineFeed = 0x0a;

/** A stream: its form, what the text of its events counts as, and what receives the texts of those that are known, or asks for them. */
export type KnownStream = {
  readonly form: StreamForm;
  readonly textOf: TextOf;
  readonly onTexts: (texts: EventTexts) => void;
  readonly follow: (unreported: UnreportedTexts) => void;
};

/** Recognises the events of a stream that are like the ones before, which is nearly all of them. */
export class KnownEvents implements UnreportedTexts {
  readonly #stream: KnownStream;
  readonly #shared: SharedShapes;
  #shape: EventShape | null = null;
  #news: Record<string, unknown> | null = null;
  /** The event before this one had another shape. */
  #isNew = false;
  #attemptsLeft = attemptsMax;
  #matches = 0;
  /** The texts that are not reported yet. They are summed here, because where they are counted is cold memory for every event. */
  #letters = 0;
  #signs = 0;
  #texts = 0;
  #hasReported = false;

  constructor(stream: KnownStream, shared: SharedShapes) {
    this.#stream = stream;
    this.#shared = shared;
    stream.follow(this);
  }

  /** Where the event at `start` ends, if it is known and ends by `end`; else 0. */
  endOfKnown(bytes: Buffer, start: number, end: number): number {
    this.#news = null;
    const found = this.#endOfUsual(bytes, start, end) || this.#endOfShared(bytes, start, end);
    if (found <= 0) {
      return 0;
    }
    this.#matches += 1;
    if (this.#isNew) {
      this.#isNew = false;
      this.#news = this.#shape?.payload ?? null;
    }
    return found;
  }

  /** The same for an event with the shape of the one before it; -1 if it has no other either. */
  #endOfUsual(bytes: Buffer, start: number, end: number): number {
    return this.#shape === null ? 0 : this.#shape.endIn(bytes, start, end);
  }

  #endOfShared(bytes: Buffer, start: number, end: number): number {
    const found = this.#shared.endIn(bytes, start, end);
    const shape = this.#shared.found;
    if (found > 0 && shape !== null) {
      this.#use(shape);
    }
    return found;
  }

  /**
   * What the last found event says besides its text, if the one before it may have said something else; else null.
   */
  get news(): Record<string, unknown> | null {
    return this.#news;
  }

  /** Counts the text of the event that was found last. */
  countText(): void {
    const shape = this.#shape;
    if (shape === null) {
      return;
    }
    const { letters, signs } = shape.text;
    this.#letters += letters;
    this.#signs += signs;
    this.#texts += letters + signs > 0 ? 1 : 0;
    if (!this.#hasReported) {
      this.report();
    }
  }

  /** Reports the counted texts, when someone asks or others follow. */
  report(): void {
    const shape = this.#shape;
    if (this.#texts === 0 || shape === null) {
      return;
    }
    const texts = { letters: this.#letters, signs: this.#signs, item: shape.text.item, events: this.#texts };
    this.#hasReported = true;
    this.#letters = 0;
    this.#signs = 0;
    this.#texts = 0;
    this.#stream.onTexts(texts);
  }

  /** Learns from an event that was parsed, if it has nothing but content. */
  learn({ kind, payload }: SeenEvent, bytes: Buffer, start: number, end: number): void {
    this.#isNew = true;
    // Where an event with CR alone at its end is over, the bytes after it decide.
    if (kind !== "content" || payload === null || end - start > eventBytesMax || bytes[end - 1] !== lineFeed) {
      return;
    }
    if (this.#matches >= matchesWorth) {
      this.#matches = 0;
      this.#attemptsLeft = attemptsMax;
    }
    const stream = this.#stream;
    // An event that counts as more than text has no shape: those at both ends of a response, for example.
    if (this.#attemptsLeft === 0 || stream.textOf(payload) === null) {
      return;
    }
    const event = bytes.toString("latin1", start, end);
    // Nor has one with an escape.
    if (event.includes("\\")) {
      return;
    }
    this.#attemptsLeft -= 1;
    const shape = this.#shared.learn(event, stream.form, (parsed) => stream.textOf(parsed));
    if (shape !== null) {
      this.#use(shape);
    }
  }

  #use(shape: EventShape): void {
    if (shape !== this.#shape) {
      this.report();
      this.#isNew = true;
      this.#shape = shape;
    }
  }
}
