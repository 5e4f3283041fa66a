import { STATUS_CODES } from "node:http";

/** Room for nearly every head; it grows for others. */
let bytes = Buffer.allocUnsafeSlow(4_096);
let at = 0;

/** Per byte: whether a value may contain it: a line end in it would end the head. */
const valueBytes = new Uint8Array(256).fill(1, 0x20, 0x7f).fill(1, 0x80);
valueBytes[0x09] = 1;

const cr = 13;
const lf = 10;
const zero = 48;

function reserve(more: number): void {
  if (at + more > bytes.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(at + more, 2 * bytes.length));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
  }
}

function put(piece: Buffer): void {
  reserve(piece.length);
  bytes.set(piece, at);
  at += piece.length;
}

function putText(text: string): void {
  put(Buffer.from(text, "latin1"));
}

function putNumber(value: number): void {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) {
    digits += 1;
  }
  reserve(digits);
  let rest = value;
  for (let place = at + digits - 1; place >= at; place -= 1) {
    const next = Math.floor(rest / 10);
    bytes[place] = zero + rest - next * 10;
    rest = next;
  }
  at += digits;
}

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
function putLine(name: string, value: string): void {
  const known = lines.get(name);
  if (known?.value === value) {
    put(known.line);
    return;
  }
  const from = at;
  const namePart = known?.name ?? Buffer.from(`${name}: `, "latin1");
  put(namePart);
  putValue(name, value);
  if (known === undefined) {
    if (lines.size < linesMax) {
      lines.set(name, { name: namePart, value, line: Buffer.from(bytes.subarray(from, at)), changes: 0 });
    }
  } else if (known.changes < changesMax) {
    known.changes += 1;
    known.value = value;
    known.line = Buffer.from(bytes.subarray(from, at));
  }
}

function putValue(name: string, value: string): void {
  const { length } = value;
  reserve(length + lineEnd.length);
  for (let index = 0; index < length; index += 1) {
    const unit = value.charCodeAt(index);
    if (valueBytes[unit] !== 1) {
      throw new TypeError(`the header ${name} can't be written`);
    }
    bytes[at + index] = unit;
  }
  at += length;
  bytes[at] = cr;
  bytes[at + 1] = lf;
  at += lineEnd.length;
}

/**
 * The head of a response, in memory that the next one uses again.
 * @param length of the body; null if it comes in chunks
 * @throws TypeError for a value that can't be in a head
 */
export function writeHead(
  status: number,
  headers: readonly Readonly<Record<string, string>>[],
  { length, isLast }: { readonly length: number | null; readonly isLast: boolean },
): Buffer {
  at = 0;
  if (status === 200) {
    put(successLine);
  } else {
    putText(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`);
  }
  for (const each of headers) {
    for (const name in each) {
      const before = at;
      putLine(name, each[name] as string);
      // The connection is the server's own matter.
      at = name === "connection" ? before : at;
    }
  }
  put(writeDate(Date.now()));
  if (length === null) {
    put(chunkedLine);
  } else {
    put(lengthName);
    putNumber(length);
    put(lineEnd);
  }
  if (isLast) {
    put(closeLine);
  }
  put(lineEnd);
  return bytes.subarray(0, at);
}

const lastChunk = "0\r\n\r\n";

/** What goes out in one write: a head or text of one byte a letter, pieces, and text again. */
export type Parts = {
  readonly before: string | Buffer;
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
