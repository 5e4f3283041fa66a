import type { StreamForm } from "../../operations/model.ts";
import { countText, type TextCount } from "../../usage-count/text-tokens.ts";
import { seeEvent } from "./event-scan.ts";

/** Returns the text that the payload of an event counts as; null if it counts as anything else, too. */
export type TextOf = (payload: Record<string, unknown>) => TextCount | null;

/** A run of bytes that all events of a shape have. */
type Part = {
  readonly bytes: Buffer;
  /** Whether the string after it counts as text of the model. */
  readonly isCounted: boolean;
};

/** The names of the strings in which events may differ: none of them decides what an event is. */
const slotNames: ReadonlySet<string> = new Set([
  "content",
  "reasoning_content",
  "reasoning",
  "text",
  "thinking",
  "partial_json",
  "arguments",
  "id",
  "system_fingerprint",
  "obfuscation",
]);
const slotsMax = 4;
/** An event with a longer string is parsed. */
const slotBytesMax = 512;
/** Longer parts are compared by native code. */
const loopedBytesMax = 96;
const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const firstOutsideAscii = 0x80;

/**
 * What events that a stream has in a row have in common: everything but some strings. Bytes that have the same parts and
 * other strings between them are an event of the same kind with the same effect, apart from the size of its text. That is
 * seen without parsing it.
 */
export class EventShape {
  readonly #parts: readonly Part[];
  /** Of the strings that are the same in all of them. */
  readonly #common: TextCount;
  /** The text of the last event that had this shape. */
  readonly text = { letters: 0, signs: 0 };

  constructor(parts: readonly Part[], common: TextCount) {
    this.#parts = parts;
    this.#common = common;
  }

  /** Where the event at `start` ends, if it has this shape and ends by `end`; else 0. */
  endIn(bytes: Buffer, start: number, end: number): number {
    this.text.letters = this.#common.letters;
    this.text.signs = this.#common.signs;
    const parts = this.#parts;
    const last = parts.length - 1;
    let at = start;
    for (let index = 0; ; index += 1) {
      const { bytes: part, isCounted } = parts[index] as Part;
      const next = at + part.length;
      if (next > end || !isSame(bytes, at, part)) {
        return 0;
      }
      if (index === last) {
        return next;
      }
      at = this.#slotEnd(bytes, next, Math.min(end, next + slotBytesMax), isCounted);
      if (at === 0) {
        return 0;
      }
    }
  }

  /** Where a string without escapes ends, which begins at `start`; 0 if that is not before `end`. */
  #slotEnd(bytes: Buffer, start: number, end: number, isCounted: boolean): number {
    let isAscii = true;
    let at = start;
    for (; at < end; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        break;
      }
      if (byte < firstPrintable || byte === backslash) {
        return 0;
      }
      isAscii = isAscii && byte < firstOutsideAscii;
    }
    if (at >= end) {
      return 0;
    }
    if (isCounted && isAscii) {
      this.text.letters += at - start;
    } else if (isCounted) {
      const text = countText(bytes.toString("utf8", start, at));
      this.text.letters += text.letters;
      this.text.signs += text.signs;
    }
    return at;
  }
}

function isSame(bytes: Buffer, at: number, part: Buffer): boolean {
  const { length } = part;
  if (length > loopedBytesMax) {
    return bytes.compare(part, 0, length, at, at + length) === 0;
  }
  for (let index = 0; index < length; index += 1) {
    if (bytes[at + index] !== part[index]) {
      return false;
    }
  }
  return true;
}

/**
 * The shape of two parsed events; null if they differ in more than strings of the model, or if either has an escape, which
 * may hide anything.
 */
export function shapeOf(before: Buffer, event: Buffer, form: StreamForm, textOf: TextOf): EventShape | null {
  const own = event.toString("latin1");
  const others = before.toString("latin1").split('"');
  const pieces = own.split('"');
  // Without escapes, and with no quote before the JSON, every second piece is a string.
  if (own.includes("\\") || others.length !== pieces.length || !pieces[0]?.includes("{")) {
    return null;
  }
  const slots: number[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece !== others[index]) {
      if (index % 2 === 0 || pieces[index - 1] !== ":" || !slotNames.has(pieces[index - 2] ?? "")) {
        return null;
      }
      slots.push(index);
    }
  }
  return slots.length > slotsMax ? null : measureSlots(pieces, slots, { form, textOf });
}

type Measuring = { readonly form: StreamForm; readonly textOf: TextOf };

/** Null if the text of an event can't be derived from the texts of its strings. */
function measureSlots(pieces: readonly string[], slots: readonly number[], measuring: Measuring): EventShape | null {
  const whole = textIn(pieces, measuring);
  if (whole === null) {
    return null;
  }
  const parts: Part[] = [];
  let { letters, signs } = whole;
  let from = 0;
  for (const slot of slots) {
    const counted = countedIn(pieces, slot, whole, measuring);
    if (counted === null) {
      return null;
    }
    letters -= counted.letters;
    signs -= counted.signs;
    const isCounted = counted !== uncounted;
    parts.push({ bytes: bytesOf(`${pieces.slice(from, slot).join('"')}"`, from > 0), isCounted });
    from = slot + 1;
  }
  parts.push({ bytes: bytesOf(pieces.slice(from).join('"'), from > 0), isCounted: false });
  return new EventShape(parts, { letters, signs });
}

const uncounted: TextCount = { letters: 0, signs: 0 };

/** What a string counts as: its text, if another text changes the count by as much, or nothing; null for anything else. */
function countedIn(pieces: readonly string[], slot: number, whole: TextCount, measuring: Measuring): TextCount | null {
  const text = countText(Buffer.from(pieces[slot] ?? "", "latin1").toString("utf8"));
  const longer = "x".repeat(text.letters + text.signs + 1);
  const changed = textIn(pieces.with(slot, longer), measuring);
  if (changed === null) {
    return null;
  }
  const letters = changed.letters - whole.letters;
  const signs = changed.signs - whole.signs;
  if (letters === 0 && signs === 0) {
    return uncounted;
  }
  return letters === longer.length - text.letters && signs === -text.signs ? text : null;
}

/** A part after a string begins with the quote that ends it. */
function bytesOf(text: string, isAfterString: boolean): Buffer {
  return Buffer.from(isAfterString ? `"${text}` : text, "latin1");
}

function textIn(pieces: readonly string[], { form, textOf }: Measuring): TextCount | null {
  const { kind, payload } = seeEvent(Buffer.from(pieces.join('"'), "latin1"), form);
  return kind === "content" && payload !== null ? textOf(payload) : null;
}
