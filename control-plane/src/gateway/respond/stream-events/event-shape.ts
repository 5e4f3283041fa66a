import {
  isInWindow,
  openWindow,
  plainEnd,
  windowByte,
  windowText,
  wordsIn,
  wordsOf,
} from "../../../platform/byte-window.ts";
import type { StreamForm } from "../../operations/model.ts";
import type { EventText } from "../../usage-count/model.ts";
import { countText, type TextCount } from "../../usage-count/text-tokens.ts";
import { seeEvent } from "./event-scan.ts";

type Json = Record<string, unknown>;

/** Returns the text that the payload of an event counts as; null if it counts as anything else, too. */
export type TextOf = (payload: Json) => EventText | null;

/** What comes after a run of bytes that all events of a shape have: nothing, a string of the model, another string, a number. */
const eventEnd = 0;
const textSlot = 1;
const stringSlot = 2;
const numberSlot = 3;
type Slot = typeof eventEnd | typeof textSlot | typeof stringSlot | typeof numberSlot;

/** A run of bytes that all events of a shape have, and what comes after it. */
type Part = { readonly bytes: Buffer; readonly slot: Slot };

/** The names of the strings in which events may differ: none of them decides what an event is. */
const slotNames: ReadonlySet<string> = new Set([
  "content",
  "reasoning_content",
  "reasoning",
  "text",
  "thinking",
  "partial_json",
  "arguments",
  "delta",
  "id",
  "item_id",
  "system_fingerprint",
  "obfuscation",
]);
/** The names of the numbers. */
const numberNames: ReadonlySet<string> = new Set(["created", "sequence_number"]);
const slotsMax = 12;
/** An event with a longer string is parsed. */
const slotBytesMax = 512;
/** An event with a longer number is parsed. */
const digitsMax = 15;
const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
/** For each byte: 0 if a string continues with ASCII, 1 if with another character, 2 if the string ends or has an escape. */
const stringBytes = new Uint8Array(256).fill(2, 0, 0x20).fill(1, 0x80);
stringBytes[quote] = 2;
stringBytes[backslash] = 2;

/**
 * What events that a stream has in a row have in common: everything but some strings and numbers. Bytes that have the
 * same parts and others between them are an event of the same kind with the same effect, apart from the size of its text.
 * That is seen without parsing it.
 */
export class EventShape {
  /** For each part how many bytes it has, these as words, and its slot: in one piece, because every event needs all of it. */
  readonly #parts: Int32Array;
  /** No event is longer. */
  readonly #bytesMax: number;
  /** Of the strings that are the same in all of them. */
  readonly #letters: number;
  readonly #signs: number;
  /** The text of the last event that had this shape. */
  readonly text: { letters: number; signs: number; readonly item: number | null };
  /** The payload of one event of this shape: it says what all of them say, apart from texts, ids and times. */
  readonly payload: Json;

  constructor(parts: readonly Part[], { letters, signs, item }: EventText, payload: Json) {
    this.#parts = Int32Array.from(parts.flatMap(({ bytes, slot }) => [bytes.length, ...wordsOf(bytes), slot]));
    this.#bytesMax = parts.reduce((sum, { bytes }) => sum + bytes.length + slotBytesMax, 0);
    this.payload = payload;
    this.#letters = letters;
    this.#signs = signs;
    this.text = { letters, signs, item };
  }

  /**
   * Where the event at `start` ends, if it has this shape and ends by `end`. Else 0, or -1 at a string that no shape takes: it
   * has an escape, or is too long.
   */
  endIn(bytes: Buffer, start: number, end: number): number {
    const parts = this.#parts;
    const last = Math.min(end - start, this.#bytesMax);
    openWindow(bytes, start, start + last);
    this.text.letters = this.#letters;
    this.text.signs = this.#signs;
    let at = 0;
    for (let next = 0; ; ) {
      const length = parts[next] as number;
      if (at + length > last || !isInWindow(at, length, parts, next + 1)) {
        return 0;
      }
      at += length;
      next += 1 + wordsIn(length);
      const slot = parts[next];
      if (slot === eventEnd) {
        return start + at;
      }
      const slotEnd = slot === numberSlot ? numberEnd(at, last) : this.#stringEnd(at, last, slot === textSlot);
      if (slotEnd === 0) {
        return slot === numberSlot ? 0 : -1;
      }
      at = slotEnd;
      next += 1;
    }
  }

  /** Where a string without escapes ends, which begins at `start`; 0 if that is not before `end`, or too far away. */
  #stringEnd(start: number, end: number, isText: boolean): number {
    const last = Math.min(end, start + slotBytesMax);
    let isAscii = true;
    let at = plainEnd(start, last);
    for (; at < last; at += 1) {
      const kind = stringBytes[windowByte(at)];
      if (kind === 2) {
        break;
      }
      isAscii = isAscii && kind === 0;
    }
    if (at >= last || windowByte(at) !== quote) {
      return 0;
    }
    if (isText && isAscii) {
      this.text.letters += at - start;
    } else if (isText) {
      const { letters, signs } = countText(windowText(start, at));
      this.text.letters += letters;
      this.text.signs += signs;
    }
    return at;
  }
}

/** Where a whole number ends; 0 if there is none, or one that JSON does not allow. */
function numberEnd(start: number, end: number): number {
  const last = Math.min(end, start + digitsMax);
  let at = start;
  while (at < last && windowByte(at) >= zero && windowByte(at) <= nine) {
    at += 1;
  }
  const isNumber = at > start && (windowByte(start) !== zero || at === start + 1);
  return isNumber ? at : 0;
}

/**
 * An event without the strings and numbers in which events may differ: two events of the same shape have the same outline.
 * Null for an event with an escape, which may hide anything.
 */
export function outlineOf(event: string): string | null {
  const pieces = piecesOf(event);
  return pieces === null ? null : pieces.map((piece, at) => (isSlot(pieces, at) ? restOf(piece, at) : piece)).join('"');
}

/** The shape of a parsed event; null if the text of events like it can't be derived from the texts of their strings. */
export function shapeOf(event: string, form: StreamForm, textOf: TextOf): EventShape | null {
  const pieces = piecesOf(event);
  const slots = pieces === null ? [] : [...pieces.keys()].filter((index) => isSlot(pieces, index));
  if (pieces === null || slots.length > slotsMax) {
    return null;
  }
  const measuring = { form, textOf };
  const payload = payloadOf(withoutTexts(pieces, slots), measuring);
  return payload === null ? null : measureSlots(pieces, slots, measuring, payload);
}

/** An event of the same shape without the texts that only this event has. */
function withoutTexts(pieces: readonly string[], slots: readonly number[]): readonly string[] {
  return pieces.map((piece, index) => (index % 2 === 1 && slots.includes(index) ? "" : piece));
}

/** Every second piece is a string. Null if an escape, or a quote before the JSON, would make that wrong. */
function piecesOf(event: string): readonly string[] | null {
  const pieces = event.split('"');
  return event.includes("\\") || !pieces[0]?.includes("{") ? null : pieces;
}

/** A number, and what comes after it. */
const numberAfterName = /^:(?:0|[1-9]\d{0,13})(?!\d|[.eE])/;

/** Whether a piece is a string, or begins with a number, that may differ between events of one shape. */
function isSlot(pieces: readonly string[], index: number): boolean {
  return index % 2 === 0
    ? numberNames.has(pieces[index - 1] ?? "") && numberAfterName.test(pieces[index] ?? "")
    : pieces[index - 1] === ":" && slotNames.has(pieces[index - 2] ?? "");
}

/** What is left of a piece without its slot. */
function restOf(piece: string, index: number): string {
  return index % 2 === 0 ? piece.replace(numberAfterName, "") : "";
}

type Measuring = { readonly form: StreamForm; readonly textOf: TextOf };

/**
 * Null if the text of an event can't be derived from the texts of its strings.
 * @param payload of an event of the same shape
 */
function measureSlots(
  pieces: readonly string[],
  slots: readonly number[],
  measuring: Measuring,
  payload: Json,
): EventShape | null {
  const whole = textIn(pieces, measuring);
  if (whole === null) {
    return null;
  }
  const parts: Part[] = [];
  let { letters, signs } = whole;
  let from = 0;
  /** What follows the last slot in its piece. */
  let rest: string | null = null;
  const partUntil = (index: number, end: string) => {
    const between = pieces.slice(from, index);
    return Buffer.from((rest === null ? between : [rest, ...between]).join('"') + end, "latin1");
  };
  for (const index of slots) {
    const isNumber = index % 2 === 0;
    const counted = isNumber
      ? countedInNumber(pieces, index, whole, measuring)
      : countedInString(pieces, index, whole, measuring);
    if (counted === null) {
      return null;
    }
    letters -= counted.letters;
    signs -= counted.signs;
    const slot = isNumber ? numberSlot : counted === uncounted ? stringSlot : textSlot;
    parts.push({ bytes: partUntil(index, isNumber ? '":' : '"'), slot });
    rest = restOf(pieces[index] ?? "", index);
    from = index + 1;
  }
  parts.push({ bytes: partUntil(pieces.length, ""), slot: eventEnd });
  return new EventShape(parts, { letters, signs, item: whole.item }, payload);
}

const uncounted: TextCount = { letters: 0, signs: 0 };

/** Nothing, if another number changes no count; else null. */
function countedInNumber(
  pieces: readonly string[],
  slot: number,
  whole: EventText,
  measuring: Measuring,
): TextCount | null {
  const piece = pieces[slot] ?? "";
  const rest = restOf(piece, slot);
  const isLong = piece.length - rest.length > 2;
  const changed = textIn(pieces.with(slot, `${isLong ? ":1" : ":12"}${rest}`), measuring);
  return changed !== null && isSameText(changed, whole) ? uncounted : null;
}

function isSameText(one: EventText, other: EventText): boolean {
  return one.letters === other.letters && one.signs === other.signs && one.item === other.item;
}

/** What a string counts as: its text, if another text changes the count by as much, or nothing; null for anything else. */
function countedInString(
  pieces: readonly string[],
  slot: number,
  whole: EventText,
  measuring: Measuring,
): TextCount | null {
  const text = countText(Buffer.from(pieces[slot] ?? "", "latin1").toString("utf8"));
  const longer = "x".repeat(text.letters + text.signs + 1);
  const changed = textIn(pieces.with(slot, longer), measuring);
  if (changed === null || changed.item !== whole.item) {
    return null;
  }
  const letters = changed.letters - whole.letters;
  const signs = changed.signs - whole.signs;
  if (letters === 0 && signs === 0) {
    return uncounted;
  }
  return letters === longer.length - text.letters && signs === -text.signs ? text : null;
}

function textIn(pieces: readonly string[], measuring: Measuring): EventText | null {
  const payload = payloadOf(pieces, measuring);
  return payload === null ? null : measuring.textOf(payload);
}

/** Null for an event with anything but content. */
function payloadOf(pieces: readonly string[], { form }: Measuring): Json | null {
  const { kind, payload } = seeEvent(Buffer.from(pieces.join('"'), "latin1"), form);
  return kind === "content" ? payload : null;
}
