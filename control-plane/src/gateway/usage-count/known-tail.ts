import { isInWindow, openWindow, windowByte, wordsIn, wordsOf } from "../../platform/byte-window.ts";
import type { Json } from "./units.ts";

const quote = 0x22;
const backslash = 0x5c;
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
/** A number of this many digits is exact. */
const digitsMax = 15;
const countPattern = /^(?:0|[1-9]\d{0,14})$/;
/** Longer than a count, and exact. */
const firstMark = 9_000_000_000_000_000;
/** A longer text, or one with more counts, is parsed each time. */
const keptBytesMax = 2_048;
const countsMax = 64;
/** Texts that have differed so often will differ again: the last one is kept. */
const changesMax = 100;

/** Where a count is in the object that was parsed, and which one is there. */
type CountPlace = { readonly holder: Json; readonly name: string; value: number };

/** A text that was parsed. */
type Kept = {
  /** What is before each count, and after the last one: of each, how many bytes it has, and these as words. */
  readonly texts: Int32Array;
  readonly counts: readonly CountPlace[];
  /** The object, into which other counts can be put. */
  readonly json: Json;
};

/**
 * The end of the last response of a channel, from its usage on. Nearly always that of the next one differs in the counts
 * alone: these are read from its bytes, and the rest is not parsed again.
 */
export class KnownTail {
  #kept: Kept | null = null;
  #changes = 0;

  /**
   * The object that these bytes are from a key to their end, if they differ from the kept ones in counts alone; null if not.
   * It is the same object each time, with other counts.
   */
  read(body: Buffer, from: number, to = body.length): Json | null {
    const kept = this.#kept;
    const length = to - from;
    if (kept === null || length > keptBytesMax) {
      return null;
    }
    const { texts, counts, json } = kept;
    openWindow(body, from, to);
    let at = 0;
    let text = 0;
    for (let index = 0; index <= counts.length; index += 1) {
      const bytes = texts[text] as number;
      if (at + bytes > length || !isInWindow(at, bytes, texts, text + 1)) {
        return null;
      }
      at += bytes;
      text += 1 + wordsIn(bytes);
      if (index < counts.length) {
        const end = endOfCount(at, length);
        if (end === -1) {
          return null;
        }
        note(counts[index] as CountPlace, countAt(at, end));
        at = end;
      }
    }
    return at === length ? json : null;
  }

  /** Keeps bytes that were parsed as the rest of an object. */
  keep(tail: Buffer): void {
    if (this.#changes < changesMax && tail.length <= keptBytesMax) {
      this.#changes += 1;
      this.#kept = keptOf(tail);
    }
  }
}

/** Most counts are the same each time, zero above all. */
function note(place: CountPlace, value: number): void {
  if (place.value !== value) {
    place.value = value;
    place.holder[place.name] = value;
  }
}

/** Where the digits in the window end that begin here; -1 if they are not those of a count. */
function endOfCount(from: number, to: number): number {
  let end = from;
  while (end < to && isDigit(windowByte(end))) {
    end += 1;
  }
  const digits = end - from;
  return digits === 0 || digits > digitsMax || (digits > 1 && windowByte(from) === zero) ? -1 : end;
}

function countAt(from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    value = value * 10 + windowByte(at) - zero;
  }
  return value;
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;

/** Null for a text with too many counts, with a name that occurs twice, or with a number that could pass for a mark. */
function keptOf(tail: Buffer): Kept | null {
  if (marksIn(JSON.parse(`{${tail.toString("latin1")}`) as Json).length > 0) {
    return null;
  }
  const places = countsIn(tail);
  const length = places.length / 2;
  const texts: number[] = [];
  // Each count is replaced by a mark, so that its place in the object shows.
  let marked = "{";
  let end = 0;
  for (let index = 0; index <= length; index += 1) {
    const text = tail.subarray(end, places[2 * index]);
    texts.push(text.length, ...wordsOf(text));
    marked += `${text.toString("latin1")}${index < length ? firstMark + index : ""}`;
    end = places[2 * index + 1] ?? end;
  }
  const json = JSON.parse(marked) as Json;
  const counts = marksIn(json);
  const isEachFound = counts.length === length && counts.every(({ value }, index) => value === firstMark + index);
  return isEachFound && length <= countsMax ? { texts: Int32Array.from(texts), counts, json } : null;
}

function marksIn(json: Json): CountPlace[] {
  const counts: CountPlace[] = [];
  findMarks(json, counts);
  return counts;
}

function findMarks(holder: object, counts: CountPlace[]): void {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === "object" && value !== null) {
      findMarks(value, counts);
    } else if (typeof value === "number" && value >= firstMark) {
      counts.push({ holder: holder as Json, name, value });
    }
  }
}

/** Where the counts of a text begin and end: whole numbers outside of strings. */
function countsIn(bytes: Buffer): number[] {
  const places: number[] = [];
  let isString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      isString = !isString;
    } else if (isString && byte === backslash) {
      at += 1;
    } else if (!isString && isOfNumber(byte)) {
      const end = endOfNumber(bytes, at);
      if (countPattern.test(bytes.toString("latin1", at, end))) {
        places.push(at, end);
      }
      at = end - 1;
    }
  }
  return places;
}

function endOfNumber(bytes: Buffer, from: number): number {
  let end = from;
  while (isOfNumber(bytes[end] ?? quote)) {
    end += 1;
  }
  return end;
}

/** A digit, a sign or a point; the letter of an exponent comes after one of them. */
function isOfNumber(byte: number): boolean {
  return (byte >= zero && byte <= nine) || byte === minus || byte === plus || byte === point;
}
