import { asObject, type Json, parseObject } from "./units.ts";

/** What reached the client, for an answer whose usage never came. */
export type Delivered = {
  readonly textBytes: number;
  /** Events that carried text. */
  readonly textEvents: number;
  /** Results that are no text: vectors, images, ranks. */
  readonly items: number;
};

/** Clients tend to leave all at once, and reading all that was kept for each of them would hold up everybody else. */
const sampleBytesMax = 65_536;

/** What was delivered of an event stream, counted over the first pieces and scaled up to all bytes. */
export function countDeliveredEvents(pieces: readonly Uint8Array[], bytesSent: number): Delivered {
  const kept = sampleOf(pieces);
  let textBytes = 0;
  let textEvents = 0;
  let unreadBytes = 0;
  for (const line of kept.toString("utf8").split(/\r\n|\n|\r/)) {
    const event = line.startsWith("data:") ? parseObject(line.slice(5)) : null;
    if (event !== null) {
      const bytes = deliveredTextBytes(event);
      textBytes += bytes;
      textEvents += bytes > 0 ? 1 : 0;
    } else if (line.startsWith("data: {") || line.startsWith("data:{")) {
      unreadBytes += Buffer.byteLength(line);
    }
  }
  // The last event of the pieces that were kept is cut; what can't be read is taken to be like the rest.
  const readBytes = kept.length - unreadBytes;
  if (bytesSent > kept.length && readBytes < unreadBytes) {
    return { textBytes: bytesSent, textEvents: Math.max(1, textEvents), items: 0 };
  }
  const scale = bytesSent > kept.length ? bytesSent / readBytes : 1;
  return { textBytes: Math.ceil(textBytes * scale), textEvents: Math.ceil(textEvents * scale), items: 0 };
}

function sampleOf(pieces: readonly Uint8Array[]): Buffer {
  const sample: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (bytes < sampleBytesMax) {
      sample.push(piece);
      bytes += piece.byteLength;
    }
  }
  return Buffer.concat(sample);
}

/** The same count for an answer that came whole. */
export function countDeliveredAnswer(answer: Json): Delivered {
  const textBytes = deliveredTextBytes(answer);
  const items = ["data", "results"].reduce(
    (sum, name) => sum + (Array.isArray(answer[name]) ? answer[name].length : 0),
    0,
  );
  return { textBytes, textEvents: textBytes > 0 ? 1 : 0, items };
}

/** The bytes of model output in an event or answer: text, reasoning, refusal and tool arguments. */
function deliveredTextBytes(event: Json): number {
  if (typeof event["delta"] === "string") {
    return Buffer.byteLength(event["delta"]);
  }
  let bytes = 0;
  for (const choice of arrayOf(event["choices"])) {
    bytes += textBytesIn(choice["delta"]) + textBytesIn(choice["message"]) + byteLength(choice["text"]);
  }
  for (const item of arrayOf(event["output"])) {
    bytes += byteLength(item["name"]) + byteLength(item["arguments"]);
    for (const part of [...arrayOf(item["content"]), ...arrayOf(item["summary"])]) {
      bytes += byteLength(part["text"]) + byteLength(part["refusal"]);
    }
  }
  return bytes;
}

function textBytesIn(message: unknown): number {
  const fields = asObject(message);
  let bytes = 0;
  for (const name of ["content", "reasoning_content", "reasoning", "refusal"]) {
    bytes += byteLength(fields[name]);
  }
  for (const call of arrayOf(fields["tool_calls"])) {
    const called = asObject(call["function"]);
    bytes += byteLength(called["name"]) + byteLength(called["arguments"]);
  }
  return bytes;
}

function arrayOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

function byteLength(value: unknown): number {
  return typeof value === "string" ? Buffer.byteLength(value) : 0;
}

const pictureKeys = ['"b64_json"', '"url"'].map((key) => Buffer.from(key));
const backslash = 0x5c;
const quote = 0x22;

/** How many pictures a whole answer holds. They are long, so that the answer is searched and not parsed. */
export function countPictures(body: Buffer): number {
  return pictureKeys.reduce((sum, key) => sum + countTexts(body, key), 0);
}

/** Where the key stands before a text; inside a text its quote would be escaped. */
function countTexts(body: Buffer, key: Buffer): number {
  let found = 0;
  for (let at = body.indexOf(key); at !== -1; at = body.indexOf(key, at + key.length)) {
    const value = body.subarray(at + key.length, at + key.length + 8).toString("latin1");
    const isText = value.trimStart().startsWith(":") && value.replace(":", "").trimStart().charCodeAt(0) === quote;
    found += isText && body[at - 1] !== backslash ? 1 : 0;
  }
  return found;
}
