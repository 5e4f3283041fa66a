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

type Headers = Readonly<Record<string, string>>;

/**
 * Writes each head over the one before, which is still there, because bodies are written after it. Nearly all heads have the
 * same lines, and a few of these have another value of the same length: only those values are written.
 */
class HeadWriter {
  /** The status of the head in the memory; 0 if there is none. */
  #status = 0;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  /** Where each line begins and, at the end, where the last one ends. */
  readonly #starts: number[] = [];
  #count = 0;
  #date: Buffer | null = null;
  #length: number | null = null;
  #isLast = false;
  #end = 0;
  /** How many lines of the current head are written. */
  #line = 0;
  /** Whether this line and all after it differ from those of the last head. */
  #isChanged = false;

  /** @throws TypeError for a value that can't be in a head */
  write(status: number, headers: Headers, more: Headers, framing: Framing): void {
    this.#begin(status);
    this.#addAll(headers);
    this.#addAll(more);
    const date = writeDate(Date.now());
    if (!this.#repeatEnd(date, framing)) {
      this.#writeEnd(date, framing);
    }
    this.#status = status;
  }

  #begin(status: number): void {
    const isSame = status === this.#status;
    // None, if writing this one throws.
    this.#status = 0;
    this.#line = 0;
    this.#isChanged = !isSame;
    if (!isSame) {
      head.cut(0);
      head.add(
        status === 200 ? successLine : Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`),
      );
      this.#starts[0] = head.length;
    }
  }

  #addAll(headers: Headers): void {
    for (const name in headers) {
      // Only the server itself decides about the connection.
      if (name !== "connection") {
        this.#add(name, headers[name] as string);
      }
    }
  }

  #add(name: string, value: string): void {
    const line = this.#line;
    if (!this.#isChanged) {
      if (this.#isWritten(line, name, value)) {
        this.#line = line + 1;
        return;
      }
      this.#changeFrom(line);
    }
    addLine(name, value);
    this.#names[line] = name;
    this.#values[line] = value;
    this.#line = line + 1;
    this.#starts[line + 1] = head.length;
  }

  /** Whether the line is there already, or only had another value of the same length, which this writes. */
  #isWritten(line: number, name: string, value: string): boolean {
    if (line >= this.#count || this.#names[line] !== name) {
      return false;
    }
    const last = this.#values[line] as string;
    if (last === value) {
      return true;
    }
    const at = (this.#starts[line] as number) + name.length + 2;
    if (last.length !== value.length || !head.replaceValue(at, value)) {
      return false;
    }
    this.#values[line] = value;
    return true;
  }

  #changeFrom(line: number): void {
    this.#isChanged = true;
    head.cut(this.#starts[line] as number);
  }

  /** Whether what follows the lines is there already, apart from the length. */
  #repeatEnd(date: Buffer, { length, isLast }: Framing): boolean {
    if (this.#isChanged || this.#line !== this.#count || this.#date !== date || this.#isLast !== isLast) {
      return false;
    }
    if (length !== this.#length) {
      const at = (this.#starts[this.#line] as number) + date.length + lengthName.length;
      if (length === null || this.#length === null || !head.replaceNumber(at, this.#length, length)) {
        return false;
      }
      this.#length = length;
    }
    head.cut(this.#end);
    return true;
  }

  #writeEnd(date: Buffer, { length, isLast }: Framing): void {
    if (!this.#isChanged) {
      this.#changeFrom(this.#line);
    }
    head.add(date);
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
    this.#count = this.#line;
    this.#date = date;
    this.#length = length;
    this.#isLast = isLast;
    this.#end = head.length;
  }
}

const writer = new HeadWriter();

/**
 * The head of a response, in memory that is used again for the next one.
 * @param more headers of every response
 * @throws TypeError for a value that can't be in a head
 */
export function writeHead(status: number, headers: Headers, more: Headers, framing: Framing): HeadBytes {
  writer.write(status, headers, more, framing);
  return head;
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
