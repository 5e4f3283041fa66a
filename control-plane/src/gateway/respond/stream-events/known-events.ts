import type { StreamForm } from "../../operations/model.ts";
import type { EventText } from "../../usage-count/model.ts";
import type { SeenEvent } from "./event-scan.ts";
import type { EventShape, TextOf } from "./event-shape.ts";
import type { SharedShapes } from "./shared-shapes.ts";

/** How often a stream may look for a shape in vain. A search takes as long as parsing a few events, or ten if one is found. */
const attemptsMax = 6;
/** A shape that this many events had was worth looking for: others may be looked for again. */
const matchesWorth = 64;
/** At most this much of the beginning of an event is compared at once. */
const beginningBytesMax = 512;
/** A shorter beginning is not worth it. */
const beginningBytesMin = 32;
/** A longer event is parsed each time. */
const eventBytesMax = 4_096;
const lineFeed = 0x0a;
const noText: EventText = { letters: 0, signs: 0, item: null };

/** Recognises the events of a stream that are like the ones before, which is nearly all of them. */
export class KnownEvents {
  readonly #form: StreamForm;
  readonly #textOf: TextOf;
  readonly #shared: SharedShapes;
  #shape: EventShape | null = null;
  #news: Record<string, unknown> | null = null;
  /** The event before this one had another shape. */
  #isNew = false;
  #attemptsLeft = attemptsMax;
  #matches = 0;
  /**
   * The beginning of a known event. Most ids and times are the same in all events of a stream, so they are compared at
   * once, together with what is between them.
   */
  #beginning: Buffer | null = null;
  /** How much of it the next event has, too, up to the end of the part with this index; 0 if that is not known. */
  #beginningBytes = 0;
  #beginningIndex = 0;
  /** Too little of it stays the same. */
  #isVaried = false;

  constructor(form: StreamForm, textOf: TextOf, shared: SharedShapes) {
    this.#form = form;
    this.#textOf = textOf;
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
    const shape = this.#shape;
    if (shape === null) {
      return 0;
    }
    const length = this.#beginningBytes;
    const hasBeginning = length > 0 && !this.#isVaried && this.#begins(bytes, start, end);
    const found = hasBeginning
      ? shape.endAfter(this.#beginningIndex, bytes, start + length, end)
      : shape.endIn(bytes, start, end);
    if (found > 0 && !hasBeginning && !this.#isVaried) {
      this.#noteBeginning(shape, bytes, start, found);
    }
    return found;
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

  #begins(bytes: Buffer, start: number, end: number): boolean {
    const length = this.#beginningBytes;
    const beginning = this.#beginning;
    return (
      beginning !== null && start + length <= end && bytes.compare(beginning, 0, length, start, start + length) === 0
    );
  }

  /** If an event of this shape has only a part of the beginning, only that part is compared from then on. */
  #noteBeginning(shape: EventShape, bytes: Buffer, start: number, end: number): void {
    if (this.#beginning === null) {
      this.#beginning = Buffer.copyBytesFrom(bytes, start, Math.min(end - start, beginningBytesMax));
      return;
    }
    const { bytes: length, index } = shape.beginningOf(this.#beginning, bytes, start, end);
    this.#beginningBytes = length;
    this.#beginningIndex = index;
    this.#isVaried = length < beginningBytesMin;
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
    const shape = this.#shared.learn(event, this.#form, this.#textOf);
    if (shape !== null) {
      this.#use(shape);
    }
  }

  #use(shape: EventShape): void {
    if (shape !== this.#shape) {
      this.#isNew = true;
      this.#shape = shape;
      this.#beginning = null;
      this.#beginningBytes = 0;
      this.#isVaried = false;
    }
  }
}
