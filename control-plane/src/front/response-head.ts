import { STATUS_CODES } from "node:http";
import { HeadBytes } from "./head-bytes.ts";

const head = new HeadBytes();

const successLine = Buffer.from("HTTP/1.1 200 OK\r\n");
const chunkedLine = Buffer.from("transfer-encoding: chunked\r\n");
const lengthName = Buffer.from("content-length: ");
const lineEnd = Buffer.from("\r\n");
const closeLine = Buffer.from("connection: close\r\n");

let dateSecond = -1;
let dateLine: Buffer = lineEnd;

/** The line with the time, made once a second. */
function writeDate(nowMs: number): Buffer {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = Buffer.from(`date: ${new Date(second * 1000).toUTCString()}\r\n`);
  }
  return dateLine;
}

/** A name with the colon, and the last value with its line. */
type Line = { readonly name: Buffer; value: string; line: Buffer; changes: number };

/** Most responses have the same values, which need not be checked and written letter by letter again. */
const lines = new Map<string, Line>();
const linesMax = 64;
/** A value that has changed so often, like the id of a request, will change again: its line is not kept. */
const changesMax = 100;

/** @throws TypeError for a value that can't be in a head */
function addLine(name: string, value: string): void {
  const known = lines.get(name);
  if (known?.value === value) {
    head.add(known.line);
    return;
  }
  const from = head.length;
  const namePart = known?.name ?? Buffer.from(`${name}: `, "latin1");
  head.add(namePart);
  if (!head.addValue(value)) {
    throw new TypeError(`the header ${name} can't be written`);
  }
  if (known === undefined) {
    if (lines.size < linesMax) {
      lines.set(name, { name: namePart, value, line: head.copyFrom(from), changes: 0 });
    }
  } else if (known.changes < changesMax) {
    known.changes += 1;
    known.value = value;
    known.line = head.copyFrom(from);
  }
}

/** What a head says about the body and the connection. */
type Framing = {
  /** Of the body; null if it comes in chunks. */
  readonly length: number | null;
  readonly isLast: boolean;
};

/**
 * The head of a response, in memory that the next one uses again.
 * @param more headers of every response
 * @throws TypeError for a value that can't be in a head
 */
export function writeHead(status: number, headers: Headers, more: Headers, { length, isLast }: Framing): HeadBytes {
  head.cut(0);
  head.add(status === 200 ? successLine : Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`));
  addLines(headers);
  addLines(more);
  head.add(writeDate(Date.now()));
  if (length === null) {
    head.add(chunkedLine);
  } else {
    head.add(lengthName);
    head.addNumber(length);
    head.add(lineEnd);
  }
  if (isLast) {
    head.add(closeLine);
  }
  head.add(lineEnd);
  return head;
}

type Headers = Readonly<Record<string, string>>;

function addLines(headers: Headers): void {
  for (const name in headers) {
    // Only the server itself decides about the connection.
    if (name !== "connection") {
      addLine(name, headers[name] as string);
    }
  }
}

const lastChunk = "0\r\n\r\n";

/** What goes out in one write: text of one byte a letter, pieces, and text again. */
export type Parts = {
  readonly before: string;
  readonly pieces: readonly Uint8Array[];
  /** How many the pieces are together. */
  readonly bytes: number;
  readonly after: string;
};

/** The size lines of chunks, made when they are first needed: most chunks of streams are small. */
const sizeLines: (string | undefined)[] = [];
const sizeLinesMax = 4_096;

function sizeLine(bytes: number): string {
  const known = sizeLines[bytes];
  if (known !== undefined) {
    return known;
  }
  const line = `${bytes.toString(16)}\r\n`;
  if (bytes < sizeLinesMax) {
    sizeLines[bytes] = line;
  }
  return line;
}

/** Pieces of a stream as one chunk, after what has to go before it. */
export function chunkParts(
  before: string,
  pieces: readonly Uint8Array[],
  { bytes, isEnd }: { readonly bytes: number; readonly isEnd: boolean },
): Parts {
  const end = isEnd ? lastChunk : "";
  return bytes === 0
    ? { before, pieces, bytes, after: end }
    : { before: before + sizeLine(bytes), pieces, bytes, after: `\r\n${end}` };
}

/** At most, around the bytes of a chunk: eight digits and two ends of lines. */
export const chunkFrameBytes = 12;
const hexDigits = Buffer.from("0123456789abcdef");
const largeHexDigits = Buffer.from("0123456789ABCDEF");
const cr = 13;
const lf = 10;

/**
 * The bytes of a packet from `start` to `end` as one chunk, written to the beginning of `target`.
 * @returns its length
 */
export function frameChunk(packet: Buffer, start: number, end: number, target: Buffer): number {
  const bytes = end - start;
  let at = 0;
  for (let shift = 28 - (Math.clz32(bytes) & ~3); shift >= 0; shift -= 4) {
    target[at] = hexDigits[(bytes >>> shift) & 15] as number;
    at += 1;
  }
  target[at] = cr;
  target[at + 1] = lf;
  at += 2;
  at += packet.copy(target, at, start, end);
  target[at] = cr;
  target[at + 1] = lf;
  return at + 2;
}

/** The end of the line after a chunk. */
export const chunkEndBytes = 2;

/**
 * Whether the bytes of a packet from `start` to `end` came as a chunk that can be sent as it is: with nothing but their size
 * before them, and the end of a line after them.
 * @returns where its size begins; -1 if they did not
 */
export function chunkStart(packet: Buffer, start: number, end: number): number {
  const isBetweenLines =
    start > 2 && packet[start - 2] === cr && packet[start - 1] === lf && packet[end] === cr && packet[end + 1] === lf;
  if (!isBetweenLines) {
    return -1;
  }
  let at = start - 2;
  for (let rest = end - start; rest > 0; rest >>>= 4) {
    at -= 1;
    const digit = at < 0 ? cr : packet[at];
    if (digit !== hexDigits[rest & 15] && digit !== largeHexDigits[rest & 15]) {
      return -1;
    }
  }
  return at;
}
