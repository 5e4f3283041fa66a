import { type Bytes, type PacketPart, partOf } from "@sluice/http-client/packet-part";
import type { KnownTail } from "../../usage-count/known-tail.ts";
import { asObject, type Json, parseObject, type ReportedUnits } from "../../usage-count/units.ts";
import { type UsageDialect, usageReaders } from "../../usage-count/usage-readers.ts";

const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/**
 * A usage object and the text after it have a few hundred bytes; if they are longer than this, the whole response is
 * parsed.
 */
const tailBytesMax = 16_384;

/** What a complete response reports about itself. */
export type ReadAnswer = {
  readonly usage: ReportedUnits | null;
  /**
   * The whole response, if its usage could not be read from its end, or if it may hold no result. Null also when it is
   * not a JSON object.
   */
  readonly json: Json | null;
  readonly isObject: boolean;
};

/**
 * Reads the usage of a complete response. Nearly always it is the last object in it, so only the end of the response is
 * parsed: from the key on, it has to be the rest of the response itself. Anything else is parsed as a whole, so that a
 * usage object inside something that the client had sent never counts.
 * @param list the name of the list that holds the results, or null if there is none
 * @param tail the end of the response before of the same channel
 */
export function readAnswer(
  received: Bytes,
  list: string | null = null,
  dialect: UsageDialect = "chat",
  tail: KnownTail | null = null,
): ReadAnswer {
  const body = partOf(received);
  const usage = usageAtEnd(body, dialect, tail);
  if (usage !== null && (list === null || showsItem(body, list))) {
    return { usage, json: null, isObject: true };
  }
  const json = parseObject(body.view.toString("utf8"));
  return { usage: json === null ? null : usageOf(json, dialect), json, isObject: json !== null };
}

/** The usage in the payload of a response or an event. */
export function usageOf(payload: Json, dialect: UsageDialect = "chat"): ReportedUnits | null {
  const reader = usageReaders[dialect];
  for (const place of reader.places(payload)) {
    const units = reader.read(asObject(place));
    if (units !== null) {
      return units;
    }
  }
  return null;
}

function usageAtEnd(
  { packet, start, end }: PacketPart,
  dialect: UsageDialect,
  tail: KnownTail | null,
): ReportedUnits | null {
  const reader = usageReaders[dialect];
  const at = packet.lastIndexOf(reader.key, Math.max(0, end - reader.key.length));
  // A quote after a backslash belongs to a string that ends in the word.
  if (at <= start || end - at > tailBytesMax || packet[at - 1] === backslash) {
    return null;
  }
  // If the key is one of the response's own, the rest of the text is the rest of an object with this key.
  // The counts are ASCII, whatever is in strings, so that the rest need not be decoded.
  const known = tail?.read(packet, at, end) ?? null;
  const rest = known ?? parseObject(`{${packet.toString("latin1", at, end)}`);
  if (known === null && rest !== null) {
    tail?.keep(packet.subarray(at, end));
  }
  const object = rest?.[reader.name];
  return typeof object === "object" && object !== null ? reader.read(object as Json) : null;
}

/** Whether a list of this name has a first item anywhere. Inside a string, the quotes of the name would be escaped. */
function showsItem({ packet, start, end }: PacketPart, name: string): boolean {
  const key = quoted(name);
  for (let at = packet.indexOf(key, start); at !== -1 && at < end; at = packet.indexOf(key, at + key.length)) {
    const value = skip(packet, at + key.length, colon);
    if (packet[value] === openBracket && packet[at - 1] !== backslash) {
      return packet[skip(packet, value, openBracket)] !== closeBracket;
    }
  }
  return false;
}

/** The names are few, and a text would be encoded for each search. */
function quoted(name: string): Buffer {
  const known = quotedNames.get(name) ?? Buffer.from(`"${name}"`);
  quotedNames.set(name, known);
  return known;
}

const quotedNames = new Map<string, Buffer>();

function skip(body: Buffer, from: number, also: number): number {
  let at = from;
  while (isSpace(body[at]) || body[at] === also) {
    at += 1;
  }
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
