import type { Json } from "./units.ts";

const quote = 0x22;
const backslash = 0x5c;
const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
/** So many digits are an exact number. */
const digitsMax = 15;
const countPattern = /^(?:0|[1-9]\d{0,14})$/;
/** Longer than a count, and exact. */
const firstMark = 9_000_000_000_000_000;
/** A longer text, or one with more counts, is parsed each time. */
const keptBytesMax = 2_048;
const countsMax = 64;
/** Texts that have differed so often will differ again: the last one is kept. */
const changesMax = 100;

/** Where a count is in the object that was parsed. */
type CountPlace = { readonly holder: Json; readonly name: string };

/** A text that was parsed: everything between its counts, and the object, into which other counts can be put. */
type Kept = {
  readonly bytes: Buffer;
  /** Of each count: where it begins in the text, and where it ends. */
  readonly places: readonly number[];
  readonly counts: readonly CountPlace[];
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
   * The object that these bytes are from a key on, if they differ from the kept ones in counts alone; null if not. It is the
   * same object each time, with other counts.
   */
  read(body: Buffer, from: number): Json | null {
    const kept = this.#kept;
    if (kept === null) {
      return null;
    }
    const { bytes, places, counts } = kept;
    let at = from;
    let known = 0;
    for (let index = 0; index < counts.length; index += 1) {
      const begin = places[2 * index] as number;
      for (; known < begin; known += 1) {
        if (body[at] !== bytes[known]) {
          return null;
        }
        at += 1;
      }
      const first = at;
      let value = 0;
      for (let digit = (body[at] as number) - zero; digit >= 0 && digit <= 9; digit = (body[at] as number) - zero) {
        value = value * 10 + digit;
        at += 1;
      }
      const digits = at - first;
      if (digits === 0 || digits > digitsMax || (digits > 1 && body[first] === zero)) {
        return null;
      }
      const { holder, name } = counts[index] as CountPlace;
      holder[name] = value;
      known = places[2 * index + 1] as number;
    }
    return body.length - at === bytes.length - known && body.compare(bytes, known, bytes.length, at) === 0
      ? kept.json
      : null;
  }

  /** Keeps bytes that were parsed as the rest of an object. */
  keep(tail: Buffer): void {
    if (this.#changes < changesMax && tail.length <= keptBytesMax) {
      this.#changes += 1;
      this.#kept = keptOf(tail);
    }
  }
}

/** Null for a text with too many counts, or with a name that occurs twice. */
function keptOf(tail: Buffer): Kept | null {
  const bytes = Buffer.from(tail);
  const places = countsIn(bytes);
  const length = places.length / 2;
  // Each count is replaced by a mark, so that its place in the object shows.
  let text = "{";
  let end = 0;
  for (let index = 0; index < length; index += 1) {
    text += `${bytes.toString("latin1", end, places[2 * index])}${firstMark + index}`;
    end = places[2 * index + 1] as number;
  }
  const json = JSON.parse(text + bytes.toString("latin1", end)) as Json;
  const counts: CountPlace[] = [];
  findMarks(json, counts);
  const found = counts.filter((place, index) => place.holder[place.name] === firstMark + index);
  return length <= countsMax && found.length === length && counts.length === length
    ? { bytes, places, counts, json }
    : null;
}

function findMarks(holder: object, counts: CountPlace[]): void {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === "object" && value !== null) {
      findMarks(value, counts);
    } else if (typeof value === "number" && value >= firstMark) {
      counts.push({ holder: holder as Json, name });
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
