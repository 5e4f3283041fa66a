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
  /** What is before each count, and after the last one. */
  readonly texts: Buffer;
  /** Where each of them ends. */
  readonly ends: Int32Array;
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
    if (kept === null) {
      return null;
    }
    const { texts, ends, counts, json } = kept;
    let at = from;
    let of = 0;
    for (let index = 0; index <= counts.length; index += 1) {
      for (const end = ends[index] as number; of < end; of += 1) {
        if (body[at] !== texts[of]) {
          return null;
        }
        at += 1;
      }
      if (index < counts.length) {
        const end = endOfCount(body, at);
        if (end === -1) {
          return null;
        }
        note(counts[index] as CountPlace, countAt(body, at, end));
        at = end;
      }
    }
    return at === to ? json : null;
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

/** Where the digits end that begin here; -1 if they are not those of a count. */
function endOfCount(body: Buffer, from: number): number {
  let end = from;
  while (isDigit(body[end])) {
    end += 1;
  }
  const digits = end - from;
  return digits === 0 || digits > digitsMax || (digits > 1 && body[from] === zero) ? -1 : end;
}

function countAt(body: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    value = value * 10 + (body[at] as number) - zero;
  }
  return value;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= nine;

/** Null for a text with too many counts, with a name that occurs twice, or with a number that could pass for a mark. */
function keptOf(tail: Buffer): Kept | null {
  if (marksIn(JSON.parse(`{${tail.toString("latin1")}`) as Json).length > 0) {
    return null;
  }
  const places = countsIn(tail);
  const length = places.length / 2;
  const texts: Buffer[] = [];
  const ends = new Int32Array(length + 1);
  // Each count is replaced by a mark, so that its place in the object shows.
  let marked = "{";
  let end = 0;
  for (let index = 0; index <= length; index += 1) {
    const text = tail.subarray(end, places[2 * index]);
    texts.push(text);
    ends[index] = (ends[index - 1] ?? 0) + text.length;
    marked += `${text.toString("latin1")}${index < length ? firstMark + index : ""}`;
    end = places[2 * index + 1] ?? end;
  }
  const json = JSON.parse(marked) as Json;
  const counts = marksIn(json);
  const isEachFound = counts.length === length && counts.every(({ value }, index) => value === firstMark + index);
  return isEachFound && length <= countsMax ? { texts: Buffer.concat(texts), ends, counts, json } : null;
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
