import { isAscii } from "node:buffer";
import { type Bytes, type PacketPart, partOf, viewOf } from "@sluice/http-client/packet-part";
import { AppError } from "./errors.ts";
import type { RepeatedFields } from "./repeated-fields.ts";
import { type Place, scanJson } from "./scan-json.ts";

/**
 * These limits are far above the longest agent conversations. A text that consists of little but keys, values or
 * brackets is refused before anything is built from it.
 */
export const jsonLimits = { depthMax: 64, keysMax: 100_000, topLevelKeysMax: 1_000, valuesMax: 1_000_000 };
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A text up to this size is too short for the limits of keys and values, and is parsed before it is checked. */
const shortBytesMax = 256 * 1024;
/** Even if known values are cut out of it, a body up to this size is too short for these limits: a key takes five bytes. */
const cutBytesMax = 5 * jsonLimits.keysMax;
/** Counting is faster than the scan only where colons are rare. */
const colonsMax = 16_384;
/** Up to this size a text with few colons is parsed from its bytes. A string of them costs more than their few colons. */
const parsedBytesMax = 16 * 1024;
const bytesPerColonMin = 100;
/** The only escapes of a colon, and what both begin with. */
const colonEscapes = ["\\u003a", "\\u003A"];
const escapeStart = "\\u003";
const colonEscapeBytes = colonEscapes.map((written) => Buffer.from(written));
const colon = 0x3a;
const backslash = 0x5c;

/** A JSON object with unchecked fields. */
export type ReadObject = {
  readonly fields: Record<string, unknown>;
  /** Where their values are in the text, if it was scanned; null for a short one. */
  readonly topLevel: ReadonlyMap<string, Place> | null;
};

/**
 * Reads the body of a call.
 * @throws AppError `invalid_json` for anything but a JSON object, for a duplicate field, and for a body beyond the
 *   limits
 */
export function readJsonObject(bytes: Bytes): ReadObject {
  const fields = bytes.byteLength <= shortBytesMax ? parseShort(partOf(bytes)) : null;
  return fields === null ? scanObject(viewOf(bytes)) : { fields, topLevel: null };
}

/** The same for a body with values that are known from earlier ones; null if it has none, or has to be read whole. */
export function readCutObject(bytes: Buffer, repeated: RepeatedFields): ReadObject | null {
  if (bytes.length > cutBytesMax) {
    return null;
  }
  let fields: Record<string, unknown> | null = null;
  try {
    const cut = repeated.cut(bytes);
    fields = cut !== null && cut.text.length <= shortBytesMax ? parseText(cut.text) : null;
    return fields !== null && cut?.restore(fields) === true ? { fields, topLevel: null } : null;
  } catch {
    return null;
  }
}

/** The same with a scan of the text before it is parsed: for large texts, and to find out why a short one is refused. */
export function scanObject(bytes: Buffer): ReadObject {
  const shape = scanJson(bytes, jsonLimits);
  if (shape.isOverLimit) {
    throw new AppError("invalid_json", { message: "The JSON is nested too deeply or has too many keys or values." });
  }
  let value: unknown;
  try {
    value = JSON.parse(textOf(bytes));
  } catch {
    throw new AppError("invalid_json");
  }
  if (!isObject(value)) {
    throw new AppError("invalid_json", { message: "The request body must be a JSON object." });
  }
  // Parsers differ in which of two fields with the same name they use, so duplicates are refused at any depth.
  if (shape.hasDuplicateTopLevelKey || countKeys(value) !== shape.keys) {
    throw new AppError("invalid_json", { message: "A field occurs twice in the request body." });
  }
  return { fields: value, topLevel: shape.topLevel };
}

/** The fields of a short text that is certainly accepted; null for any other. */
function parseShort(part: PacketPart): Record<string, unknown> | null {
  try {
    const colons = part.byteLength <= parsedBytesMax ? countColonBytes(part) : null;
    return colons !== null && isAscii(part.packet) ? parseBytes(part, colons) : parseText(textOf(part.view));
  } catch {
    return null;
  }
}

/**
 * The same for a decoded text. All of its colons are after keys and in strings, unless a field occurs twice: then the parser
 * has dropped a key, with the colon after it. A key with a colon of its own, which is rare, is left to the scan.
 * @throws SyntaxError
 */
function parseText(text: string): Record<string, unknown> | null {
  const value: unknown = JSON.parse(text);
  return isObject(value) && hasEachColon(value, countColons(text)) && !hasColonEscape(text) ? value : null;
}

/** The same for a text that is ASCII. The parser of JSON lines reads bytes; one value is JSON, and may have lines itself. */
function parseBytes({ packet, start, end }: PacketPart, colons: number): Record<string, unknown> | null {
  const { values, done, error } = Bun.JSONL.parseChunk(packet, start, end);
  const value: unknown = done && error === null && values.length === 1 ? values[0] : null;
  return isObject(value) && hasEachColon(value, colons) && !hasColonEscapeBytes(packet, start, end) ? value : null;
}

/** Whether the keys and strings of an object have all of the colons of its text. */
function hasEachColon(value: object, colons: number): boolean {
  const isWithinLimits =
    colons <= colonsMax &&
    (colons <= jsonLimits.topLevelKeysMax || Object.keys(value).length <= jsonLimits.topLevelKeysMax);
  return isWithinLimits && colonsWithin(value, 1) === colons;
}

/** Most bodies are ASCII, and an ASCII body needs no second copy of its text. @throws TypeError when it is not UTF-8 */
function textOf(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasColonEscape(text: string): boolean {
  // Most texts have no escape at all, which is found out fastest.
  return text.includes("\\") && text.includes(escapeStart) && colonEscapes.some((written) => text.includes(written));
}

function hasColonEscapeBytes(packet: Buffer, start: number, end: number): boolean {
  const first = packet.indexOf(backslash, start);
  return isWithin(first, end) && colonEscapeBytes.some((written) => isWithin(packet.indexOf(written, first), end));
}

const isWithin = (at: number, end: number): boolean => at !== -1 && at < end;

/** The colons of a text as bytes; null if they are not few. */
function countColonBytes({ packet, start, end, byteLength }: PacketPart): number | null {
  const most = byteLength / bytesPerColonMin;
  let colons = 0;
  for (let at = packet.indexOf(colon, start); isWithin(at, end); at = packet.indexOf(colon, at + 1)) {
    colons += 1;
    if (colons > most) {
      return null;
    }
  }
  return colons;
}

/** The colons in a text; stops after more than are worth counting. */
function countColons(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(":"); at !== -1 && colons <= colonsMax; at = text.indexOf(":", at + 1)) {
    colons += 1;
  }
  return colons;
}

/** The colons after the keys and in the strings of an object or an array; infinitely many if it is too deep. */
function colonsWithin(holder: object, depth: number): number {
  if (depth > jsonLimits.depthMax) {
    return Number.POSITIVE_INFINITY;
  }
  let colons = 0;
  if (Array.isArray(holder)) {
    for (let index = 0; index < holder.length; index += 1) {
      colons += colonsOf(holder[index], depth);
    }
    return colons;
  }
  // What was parsed inherits no fields, and this makes no list of those that it has.
  for (const key in holder) {
    colons += 1 + colonsOf((holder as Record<string, unknown>)[key], depth);
  }
  return colons;
}

function colonsOf(value: unknown, depth: number): number {
  if (typeof value === "string") {
    return countColons(value);
  }
  return typeof value === "object" && value !== null ? colonsWithin(value, depth + 1) : 0;
}

/** Keys at all depths of a value whose depth is limited. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let keys = inner === value ? 0 : inner.length;
  for (let index = 0; index < inner.length; index += 1) {
    const item = inner[index];
    keys += typeof item === "object" ? countKeys(item) : 0;
  }
  return keys;
}
