import { isUtf8 } from "node:buffer";
import { type Bytes, partOf, viewOf } from "@sluice/http-client/packet-part";
import {
  firstInWindow,
  isInWindow,
  isPlainAscii,
  openWindow,
  plainEnd,
  windowByte,
  windowBytes,
  windowBytesMax,
  wordsIn,
  wordsOf,
} from "./byte-window.ts";
import { trimmed } from "./edit-json.ts";
import { type ReadObject, readJsonObject } from "./read-json.ts";
import { itemRanges, type Place, topLevelOf } from "./scan-json.ts";

/** A body with more than its texts is parsed each time. */
const partsBytesMax = 4_096;
/** Looking at an item takes longer than parsing it. */
const itemsMax = 64;
/** Bytes of objects that are empty take 24 times as much once they are parsed. */
const sizeFactor = 32;
/** Of an item of a list, and of a part of its content. */
const textNames = ["content", "text"];
/** A field is a text or a list; so is the content of its items, and the parts of that have texts. */
const listDepthMax = 2;
const quote = 0x22;
const backslash = 0x5c;
const lastControl = 0x1f;
const openBracket = 0x5b;
const openBrace = 0x7b;
const unicodeEscape = 0x75;
const hexDigits = 4;
/** What may follow a backslash, besides a number of a character. */
const escapes = new Set(Buffer.from('"\\/bfnrt'));

/**
 * What bodies that differ only in some texts have in common. Bytes with the same parts, and between them what JSON allows in a
 * string, are the same JSON apart from these strings.
 */
export class TextOutline<Made = unknown> {
  /** What bodies of this outline say, with empty texts, but not where: that differs. It must not be changed. */
  readonly read: ReadObject;
  /** What was made of such a body; null until then. */
  made: Made | null = null;
  /** Whose texts may differ. */
  readonly freeTexts: readonly string[];
  /** The memory that it takes, roughly. */
  readonly size: number;
  /** For each part how many bytes it has, and these as words. */
  readonly #parts: Int32Array;
  readonly #partCount: number;
  /** Where the last part is in this list. */
  readonly #last: number;
  readonly #bytesMin: number;

  constructor(parts: readonly Buffer[], fields: ReadObject["fields"], freeTexts: readonly string[]) {
    const words = parts.map((part) => [part.length, ...wordsOf(part)]);
    this.#parts = Int32Array.from(words.flat());
    this.#partCount = parts.length;
    this.#last = this.#parts.length - (words.at(-1)?.length ?? 0);
    this.#bytesMin = parts.reduce((sum, part) => sum + part.length, 0);
    this.read = { fields, topLevel: null };
    this.freeTexts = freeTexts;
    this.size = sizeFactor * this.#bytesMin;
  }

  /** Whether the body in the window has this outline. */
  fits(body: OpenedBody): boolean {
    const { length } = body;
    const parts = this.#parts;
    const last = this.#last;
    const lastStart = length - (parts[last] as number);
    // Bodies that begin alike, such as those of a conversation that gets longer, often end otherwise.
    if (length < this.#bytesMin || !isInWindow(lastStart, parts[last] as number, parts, last + 1)) {
      return false;
    }
    let at = 0;
    let next = 0;
    for (let index = 1; index < this.#partCount; index += 1) {
      const bytes = parts[next] as number;
      if (at + bytes > lastStart || !isInWindow(at, bytes, parts, next + 1)) {
        return false;
      }
      at = body.textEnd(at + bytes);
      next += 1 + wordsIn(bytes);
      if (at === -1) {
        return false;
      }
    }
    return at === lastStart;
  }
}

/** The body whose bytes are in the window. */
class OpenedBody {
  length = 0;
  #packet: Buffer = noBytes;
  #start = 0;
  /** All of it is ASCII, without escapes and control characters. */
  #isPlain = false;
  #isUtf8 = false;

  open(packet: Buffer, start: number, end: number): void {
    openWindow(packet, start, end);
    this.#packet = packet;
    this.#start = start;
    this.length = end - start;
    // The window is searched: a packet may have many more bytes than the body.
    this.#isPlain = firstInWindow(backslash, this.length) === this.length && isPlainAscii(this.length);
    this.#isUtf8 = this.#isPlain || isUtf8(windowBytes(this.length));
  }

  close(): void {
    this.#packet = noBytes;
  }

  /** Where the string ends whose text begins at `start`, by its closing quote; -1 for none, and for what JSON does not allow. */
  textEnd(start: number): number {
    if (this.#isPlain) {
      const end = this.#packet.indexOf(quote, this.#start + start) - this.#start;
      return end < this.length ? Math.max(-1, end) : -1;
    }
    return this.#isUtf8 ? textEnd(start, this.length) : -1;
  }
}

const noBytes = Buffer.alloc(0);
const opened = new OpenedBody();

function textEnd(start: number, end: number): number {
  for (let at = plainEnd(start, end); at < end; at = plainEnd(at, end)) {
    const byte = windowByte(at);
    if (byte === quote) {
      return at;
    }
    if (byte <= lastControl) {
      return -1;
    }
    if (byte === backslash) {
      const length = escapeLength(at + 1);
      if (length === 0) {
        return -1;
      }
      at += length;
    }
    at += 1;
  }
  return -1;
}

/** The length of what follows a backslash; 0 if JSON does not allow it. */
function escapeLength(start: number): number {
  const byte = windowByte(start);
  if (byte !== unicodeEscape) {
    return escapes.has(byte) ? 1 : 0;
  }
  for (let at = start + 1; at <= start + hexDigits; at += 1) {
    if (!isHexDigit(windowByte(at))) {
      return 0;
    }
  }
  return 1 + hexDigits;
}

function isHexDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

/**
 * The outline among several that a body has; -1 if it has none of them.
 * @param freeTexts the fields whose texts may differ
 */
export function findOutline(outlines: readonly TextOutline[], bytes: Bytes, freeTexts: readonly string[]): number {
  const { packet, start, end } = partOf(bytes);
  opened.open(packet, start, end);
  let found = -1;
  for (let index = 0; found === -1 && index < outlines.length; index += 1) {
    const outline = outlines[index] as TextOutline;
    found = outline.freeTexts === freeTexts && outline.fits(opened) ? index : -1;
  }
  opened.close();
  return found;
}

/** Whether a body is short enough to have an outline. */
export const mayHaveOutline = (bytes: Bytes): boolean => bytes.byteLength <= windowBytesMax;

/**
 * The outline of a body that was accepted; null if it has too much besides texts, or too many of them.
 * @param fields whose texts may differ: no rule reads them
 */
export function outlineOf<Made>(body: Bytes, fields: readonly string[]): TextOutline<Made> | null {
  const bytes = viewOf(body);
  const topLevel = topLevelOf(bytes);
  const texts: Place[] = [];
  if (!fields.every((name) => addTexts(texts, bytes, topLevel.get(name), 0))) {
    return null;
  }
  texts.sort(([one], [other]) => one - other);
  const parts: Buffer[] = [];
  let from = 0;
  for (const [start, end] of texts) {
    parts.push(bytes.subarray(from, start));
    from = end;
  }
  parts.push(bytes.subarray(from));
  const rest = Buffer.concat(parts);
  return rest.length > partsBytesMax ? null : new TextOutline<Made>(parts, readJsonObject(rest).fields, fields);
}

/** Adds the texts of a value, without their quotes. @returns whether it has no more than are looked at */
function addTexts(texts: Place[], bytes: Buffer, untrimmed: Place | undefined, depth: number): boolean {
  const place = untrimmed === undefined ? null : trimmed(bytes, untrimmed);
  const first = place === null ? undefined : bytes[place[0]];
  if (place === null || (first !== quote && (first !== openBracket || depth === listDepthMax))) {
    return true;
  }
  if (first === quote) {
    return texts.push([place[0] + 1, place[1] - 1]) <= itemsMax;
  }
  const items = itemRanges(bytes, place);
  return items.length <= itemsMax && items.every((item) => addTextsOf(texts, bytes, trimmed(bytes, item), depth + 1));
}

function addTextsOf(texts: Place[], bytes: Buffer, [start, end]: Place, depth: number): boolean {
  if (bytes[start] !== openBrace) {
    return true;
  }
  const fields = topLevelOf(bytes.subarray(start, end));
  return textNames.every((name) => {
    const place = fields.get(name);
    return place === undefined || addTexts(texts, bytes, [place[0] + start, place[1] + start], depth);
  });
}
