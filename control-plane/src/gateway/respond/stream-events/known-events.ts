import type { StreamForm } from "../../operations/model.ts";
import type { EventText } from "../../usage-count/model.ts";
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
const noText: EventText = { letters: 0, signs: 0, item: null };

/** The form of a stream, and what the text of its events counts as. */
export type TextSource = { readonly form: StreamForm; readonly textOf: TextOf };

/** Recognises the events of a stream that are like the ones before, which is nearly all of them. */
export class KnownEvents {
  readonly #source: TextSource;
  readonly #shared: SharedShapes;
  #shape: EventShape | null = null;
  #news: Record<string, unknown> | null = null;
  /** The event before this one had another shape. */
  #isNew = false;
  #attemptsLeft = attemptsMax;
  #matches = 0;

  constructor(source: TextSource, shared: SharedShapes) {
    this.#source = source;
    this.#shared = shared;
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

  /** The text of the event that was found last, until the next one is. */
  get text(): EventText {
    return this.#shape?.text ?? noText;
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
    const event = this.#attemptsLeft > 0 ? bytes.toString("latin1", start, end) : "";
    // An event with an escape has no shape, which is quickly seen.
    if (event === "" || event.includes("\\")) {
      return;
    }
    this.#attemptsLeft -= 1;
    const { form } = this.#source;
    const shape = this.#shared.learn(event, form, (parsed) => this.#source.textOf(parsed));
    if (shape !== null) {
      this.#use(shape);
    }
  }

  #use(shape: EventShape): void {
    if (shape !== this.#shape) {
      this.#isNew = true;
      this.#shape = shape;
    }
  }
}
