import type { StreamForm } from "../../operations/model.ts";
import type { EventText } from "../../usage-count/model.ts";
import type { SeenEvent } from "./event-scan.ts";
import { type EventShape, shapeOf, type TextOf } from "./event-shape.ts";
import type { SharedShapes } from "./shared-shapes.ts";

/** How often a shape may be looked for without success: each time takes as long as parsing ten events. */
const attemptsMax = 4;
/** A shape that this many events had was worth looking for: others may be looked for again. */
const matchesWorth = 64;
/** A longer event is parsed each time. */
const eventBytesMax = 4_096;
const backslash = 0x5c;
const noText: EventText = { letters: 0, signs: 0, item: null };

/** Recognises the events of a stream that are like the ones before, which is nearly all of them. */
export class KnownEvents {
  readonly #form: StreamForm;
  readonly #textOf: TextOf;
  readonly #shared: SharedShapes;
  #shape: EventShape | null = null;
  /** An event that was parsed, until it is compared with the next one. */
  #before: Buffer | null = null;
  #attemptsLeft = attemptsMax;
  #matches = 0;

  constructor(form: StreamForm, textOf: TextOf, shared: SharedShapes) {
    this.#form = form;
    this.#textOf = textOf;
    this.#shared = shared;
  }

  /** Where the event at `start` ends, if it is known and ends by `end`; else 0. */
  endOfKnown(bytes: Buffer, start: number, end: number): number {
    const found = this.#shape === null ? 0 : this.#shape.endIn(bytes, start, end);
    if (found > 0) {
      this.#matches += 1;
    }
    return found;
  }

  /** The text of the event that was found last, until the next one is. */
  get text(): EventText {
    return this.#shape?.text ?? noText;
  }

  /** Learns from an event that was parsed, if it has nothing but content. */
  learn({ kind, payload }: SeenEvent, bytes: Buffer, start: number, end: number): void {
    if (kind !== "content" || payload === null) {
      return;
    }
    const found = this.#shared.find(bytes, start, end);
    if (found === null) {
      this.#learn(bytes, start, end);
    } else {
      this.#shape = found;
      this.#before = null;
    }
  }

  #learn(bytes: Buffer, start: number, end: number): void {
    if (this.#matches >= matchesWorth) {
      this.#matches = 0;
      this.#attemptsLeft = attemptsMax;
    }
    if (this.#attemptsLeft === 0 || end - start > eventBytesMax) {
      return;
    }
    const event = Buffer.copyBytesFrom(bytes, start, end - start);
    if (event.includes(backslash)) {
      return;
    }
    const before = this.#before;
    this.#before = event;
    if (before !== null) {
      this.#attemptsLeft -= 1;
      const shape = shapeOf(before, event, this.#form, this.#textOf);
      if (shape !== null) {
        this.#shape = shape;
        this.#before = null;
        this.#shared.add(shape);
      }
    }
  }
}
