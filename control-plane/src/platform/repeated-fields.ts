import { isAscii } from "node:buffer";
import { stringEnd } from "./scan-json.ts";

/** Shorter values are parsed in less time than it takes to find out that they are known. */
const valueBytesMin = 1_024;
/** Longer values are parsed each time. */
const valueBytesMax = 128 * 1024;
/** How much of a value has to come twice before it is kept. */
const seenBytes = 512;
/** How many values are kept although none was ever repeated. One more is tried after every `missesForTry` others. */
const triesMax = 4;
const missesForTry = 64;
/** A value takes its bytes, and about three times as much once it is parsed; each object and list in it takes more. */
const sizeFactor = 4;
const holderBytes = 64;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const quote = 0x22;
const space = 0x20;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Takes the place of a value that was cut out. Only this process knows it, so that it is in no body that was sent.
 */
const marker = crypto.randomUUID();
const markerText = JSON.stringify(marker);

/** Whether a value can be one that is kept. */
export function isRepeatable(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === "string" && value.length >= seenBytes);
}

/** A value that was parsed before, with the text that it was parsed from. */
type Known = { readonly bytes: Buffer; readonly value: unknown; readonly size: number };

/** A body without the values that are known. */
export type CutBody = {
  readonly text: string;
  /** Puts the known values back. @returns false if they were the values of other fields: then the body has to be read whole */
  readonly restore: (fields: Record<string, unknown>) => boolean;
};

/** One field of a caller's bodies. */
class Slot {
  readonly name: string;
  readonly label: Buffer;
  known: Known | null = null;
  /** The beginning of the last unknown value. */
  seen: Buffer | null = null;
  /** How often a value was kept, was known, and was not. */
  kept = 0;
  hits = 0;
  misses = 0;
  /** Where the known value is in the body that is being read; -1 if it is not there. */
  start = -1;

  constructor(name: string) {
    this.name = name;
    this.label = Buffer.from(`${JSON.stringify(name)}:`);
  }

  get size(): number {
    return this.known?.size ?? 0;
  }

  /** Where the value begins: of the first field with this name, at any depth. -1 for none, and for an unusual spelling. */
  placeIn(bytes: Buffer): number {
    const at = bytes.indexOf(this.label);
    if (at === -1) {
      return -1;
    }
    const start = at + this.label.length;
    return bytes[start] === space ? start + 1 : start;
  }
}

/**
 * Top-level fields whose values a caller repeats byte by byte, as agents do with their tools. Such a value is parsed once,
 * and then only compared.
 *
 * It is cut out of the text, and a string takes its place. What is left is JSON exactly if the whole text is. Where the quote
 * before the colon ends a key, both are one value between the same bytes. Where it begins a string, the name before it is
 * outside of any, so that neither text is JSON. Whether the key was this field of the body shows when the rest is parsed.
 */
export class RepeatedFields {
  readonly #slots: readonly Slot[];

  constructor(names: readonly string[]) {
    this.#slots = names.map((name) => new Slot(name));
  }

  /** The memory that the known values take. */
  get size(): number {
    return this.#slots.reduce((sum, slot) => sum + slot.size, 0);
  }

  /** The body without its known values; null if it has none. @throws TypeError when it is not UTF-8 */
  cut(bytes: Buffer): CutBody | null {
    const found = this.#slots.filter((slot) => {
      const start = slot.known === null ? -1 : slot.placeIn(bytes);
      slot.start = isAt(bytes, start, slot.known?.bytes ?? null) ? start : -1;
      return slot.start !== -1;
    });
    if (found.length === 0) {
      return null;
    }
    found.sort((one, other) => one.start - other.start);
    const textOf = isAscii(bytes) ? latin1Text : utf8Text;
    const cut: Slot[] = [];
    let text = "";
    let from = 0;
    for (const slot of found) {
      // A field of the same name may be within another known value.
      if (slot.start >= from) {
        text += textOf(bytes, from, slot.start) + markerText;
        from = slot.start + (slot.known?.bytes.length ?? 0);
        slot.hits += 1;
        cut.push(slot);
      }
    }
    text += textOf(bytes, from, bytes.length);
    return { text, restore: (fields) => restore(cut, fields) };
  }

  /** Keeps other values of the same body that come for the second time. @param fields what was read of it, and accepted */
  learn(bytes: Buffer, fields: Readonly<Record<string, unknown>>): void {
    for (const slot of this.#slots) {
      const isNew = slot.start === -1 && isRepeatable(fields[slot.name]);
      const start = isNew ? slot.placeIn(bytes) : -1;
      slot.start = -1;
      if (start !== -1) {
        learn(slot, bytes, start);
      }
    }
  }
}

function learn(slot: Slot, bytes: Buffer, start: number): void {
  const { seen } = slot;
  slot.misses += 1;
  if (seen === null || !isAt(bytes, start, seen)) {
    slot.seen = start + seenBytes <= bytes.length ? Buffer.from(bytes.subarray(start, start + seenBytes)) : null;
    return;
  }
  const isWorthIt = slot.kept < slot.hits + triesMax + Math.floor(slot.misses / missesForTry);
  const end = isWorthIt ? valueEnd(bytes, start) : -1;
  if (end - start >= valueBytesMin && end - start <= valueBytesMax) {
    // A copy: the rest of the body is not kept for it.
    const own = Buffer.from(bytes.subarray(start, end));
    slot.known = { bytes: own, value: JSON.parse(utf8.decode(own)), size: sizeOf(own) };
    slot.kept += 1;
  }
}

/** The memory that a value takes; brackets in strings make it more, which does no harm. */
function sizeOf(bytes: Buffer): number {
  let holders = 0;
  for (const byte of bytes) {
    holders += byte === openBracket || byte === openBrace ? 1 : 0;
  }
  return bytes.length * sizeFactor + holders * holderBytes;
}

function restore(cut: readonly Slot[], fields: Record<string, unknown>): boolean {
  for (const { name, known } of cut) {
    if (fields[name] !== marker || known === null) {
      return false;
    }
    fields[name] = known.value;
  }
  return true;
}

function isAt(bytes: Buffer, start: number, expected: Buffer | null): boolean {
  if (expected === null || start === -1 || start + expected.length > bytes.length) {
    return false;
  }
  return bytes.compare(expected, 0, expected.length, start, start + expected.length) === 0;
}

/** The end of a list or a string in valid JSON; -1 for any other value, and for one that is too long. */
function valueEnd(bytes: Buffer, start: number): number {
  if (bytes[start] === quote) {
    return stringEnd(bytes, start);
  }
  if (bytes[start] !== openBracket) {
    return -1;
  }
  const limit = Math.min(bytes.length, start + valueBytesMax);
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = stringEnd(bytes, at) - 1;
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
      if (depth === 0) {
        return at + 1;
      }
    }
  }
  return -1;
}

const latin1Text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);
const utf8Text = (bytes: Buffer, from: number, to: number): string => utf8.decode(bytes.subarray(from, to));
