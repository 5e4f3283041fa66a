import { STATUS_CODES } from "node:http";

/** What a value may not contain: a line end in it would end the head. */
const unwritable = /[^\t\x20-\x7e\x80-\xff]/;

const successLine = "HTTP/1.1 200 OK\r\n";

let dateSecond = -1;
let dateLine = "";

/** The line with the time, made once a second. */
function writeDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}

type Line = { value: string; text: string };

/** The last line with each name: most responses have the same values, which need not be checked and joined again. */
const lines = new Map<string, Line>();
const linesMax = 64;

/** @throws TypeError for a value that can't be in a head */
function lineOf(name: string, value: string): string {
  const known = lines.get(name);
  if (known?.value === value) {
    return known.text;
  }
  if (unwritable.test(value)) {
    throw new TypeError(`the header ${name} can't be written`);
  }
  const text = `${name}: ${value}\r\n`;
  if (known !== undefined) {
    known.value = value;
    known.text = text;
  } else if (lines.size < linesMax) {
    lines.set(name, { value, text });
  }
  return text;
}

/**
 * The head of a response, as text of one byte a letter.
 * @param length of the body; null if it comes in chunks
 * @throws TypeError for a value that can't be in a head
 */
export function writeHead(
  status: number,
  headers: readonly Readonly<Record<string, string>>[],
  { length, isLast }: { readonly length: number | null; readonly isLast: boolean },
): string {
  let head = status === 200 ? successLine : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;
  for (const each of headers) {
    for (const name in each) {
      const line = lineOf(name, each[name] as string);
      // The connection is the server's own matter.
      if (name !== "connection") {
        head += line;
      }
    }
  }
  head += writeDate(Date.now());
  head += length === null ? "transfer-encoding: chunked\r\n" : `content-length: ${length}\r\n`;
  return isLast ? `${head}connection: close\r\n\r\n` : `${head}\r\n`;
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
