import type { HttpHeader } from "./model.ts";

/** What the peer sent is not an HTTP/1.1 response that we accept, or one of its parts is larger than we accept. */
export class Http1ParseError extends Error {
  readonly kind: "malformed" | "too_large";

  constructor(kind: "malformed" | "too_large", message: string) {
    super(message);
    this.name = "Http1ParseError";
    this.kind = kind;
  }
}

/** `fixed`: `contentLength` bytes; `close`: until the peer ends the connection. */
export type Http1Framing = "none" | "fixed" | "chunked" | "close";

export type Http1ResponseHead = {
  readonly status: number;
  /** Headers with lower-case names, in order of arrival; repeated names are separate entries. */
  readonly headers: readonly HttpHeader[];
  /**
   * The declared length; 0 if the status allows no body and none was declared; null if only the end shows the length.
   */
  readonly contentLength: number | null;
  readonly framing: Http1Framing;
  /** False for HTTP/1.0, for `Connection: close`, and when the end of the connection is the end of the body. */
  readonly isKeepAlive: boolean;
  /** The `timeout` of a Keep-Alive header: how long the peer keeps an idle connection open. */
  readonly keepAliveMsMax: number | null;
};

export const headersMax = 100;

const carriageReturn = 13;
const lineFeed = 10;
const space = 32;
const tab = 9;
const colon = 58;
const deleteCode = 127;
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const statusLinePrefix = "HTTP/1.";
const statusLineBytesMin = "HTTP/1.1 200".length;
const { latin1Slice, compare, copy } = Buffer.prototype;

type KnownName = { readonly name: string; readonly bytes: Uint8Array };

// Upstreams send the same few names again and again. Finding them by a hash of their bytes replaces the check, the
// lower-casing and, above all, a string for each name of each response.
const knownNames = new Map<number, KnownName>();
const knownNamesMax = 512;
const knownNameLengthMax = 64;

type Fields = {
  contentLength: number | null;
  isChunked: boolean;
  isClose: boolean;
  keepAliveMsMax: number | null;
};

const keptBytesMax = 4_096;
const framingNames: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

/**
 * The lines of the last head from a server. Of the next one only the lines that differ are read: what a line means depends
 * on its bytes alone, and not on the connection.
 */
export class KnownLines {
  readonly starts = new Int32Array(headersMax);
  readonly lengths = new Int32Array(headersMax);
  headers: readonly HttpHeader[] = [];
  /** How many lines are known. */
  count = 0;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #head: Http1ResponseHead | null = null;
  #isHeadRequest = false;

  /** The length of the last head; 0 if none is known. */
  get length(): number {
    return this.#length;
  }

  /** The last head, if these bytes begin with it and it means the same; else null. */
  repeatedIn(bytes: Uint8Array, isHeadRequest: boolean): Http1ResponseHead | null {
    const length = this.#length;
    const isSame =
      length <= bytes.length &&
      this.#isHeadRequest === isHeadRequest &&
      compare.call(this.#bytes, bytes, 0, length, 0, length) === 0;
    return isSame ? this.#head : null;
  }

  /** Whether the line that begins here is the known one with this index. */
  isSame(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const length = this.lengths[index] as number;
    if (start + length > end) {
      return false;
    }
    const known = this.#bytes;
    const from = this.starts[index] as number;
    for (let offset = 0; offset < length; offset += 1) {
      if (bytes[start + offset] !== known[from + offset]) {
        return false;
      }
    }
    return true;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.count = 0;
    this.#length = 0;
    this.#head = null;
  }

  /** Keeps a head whose lines were noted. */
  keep(bytes: Uint8Array, length: number, head: Http1ResponseHead, isHeadRequest: boolean): void {
    if (length > keptBytesMax) {
      return;
    }
    if (this.#bytes.length < length) {
      this.#bytes = Buffer.allocUnsafeSlow(length);
    }
    copy.call(bytes, this.#bytes, 0, 0, length);
    this.headers = head.headers;
    this.count = head.headers.length;
    this.#length = length;
    this.#head = head;
    this.#isHeadRequest = isHeadRequest;
  }
}

/**
 * Parses one complete head: the first `length` bytes, from the status line to the empty line, both included.
 * @param known the lines of the head before; those of this one from then on
 * @throws Http1ParseError
 */
export function parseResponseHead(
  bytes: Uint8Array,
  length: number,
  isHeadRequest: boolean,
  known: KnownLines,
): Http1ResponseHead {
  const status = parseStatusLine(bytes);
  const isHttp10 = bytes[7] === 48;
  // One string for the whole head: the values are only views into it until someone reads them.
  let text: string | null = null;
  const { count: knownCount, headers: knownHeaders, starts, lengths } = known;
  // Nothing is known if this throws.
  known.forget();
  const headers: HttpHeader[] = [];
  const fields: Fields = { contentLength: null, isChunked: false, isClose: isHttp10, keepAliveMsMax: null };
  let lineStart = findLineEnd(bytes, statusLineBytesMin) + 2;
  const end = length - 2;
  while (lineStart < end) {
    const index = headers.length;
    if (index === headersMax) {
      throw new Http1ParseError("too_large", `the response has more than ${headersMax} headers`);
    }
    let header = knownHeaders[index] as HttpHeader;
    let lineLength = lengths[index] as number;
    if (index >= knownCount || !known.isSame(index, bytes, lineStart, end)) {
      const nameEnd = findNameEnd(bytes, lineStart);
      const name = lowerCaseName(bytes, lineStart, nameEnd);
      const lineEnd = findLineEnd(bytes, nameEnd + 1);
      text ??= latin1Slice.call(bytes, 0, length) as string;
      header = [name, trimmedValue(text, nameEnd + 1, lineEnd)];
      lineLength = lineEnd + 2 - lineStart;
    }
    headers.push(header);
    const [name, value] = header;
    if (framingNames.has(name)) {
      noteField(fields, name, value);
    }
    starts[index] = lineStart;
    lengths[index] = lineLength;
    lineStart += lineLength;
  }
  if (fields.isChunked && (fields.contentLength !== null || isHttp10)) {
    throw new Http1ParseError("malformed", "the response contradicts itself about the length of its body");
  }
  const head = frameHead(status, headers, fields, isHeadRequest);
  known.keep(bytes, length, head, isHeadRequest);
  return head;
}

/** The offset of the CR; refuses any other control character but HTAB, a bare LF among them. */
function findLineEnd(bytes: Uint8Array, start: number): number {
  let offset = start;
  let byte = bytes[offset] as number;
  while ((byte >= space && byte !== deleteCode) || byte === tab) {
    offset += 1;
    byte = bytes[offset] as number;
  }
  if (byte !== carriageReturn || bytes[offset + 1] !== lineFeed) {
    throw new Http1ParseError("malformed", "the head of the response holds a control character or a bare line end");
  }
  return offset;
}

function findNameEnd(bytes: Uint8Array, start: number): number {
  let offset = start;
  let byte = bytes[offset] as number;
  while (byte > space && byte !== colon) {
    offset += 1;
    byte = bytes[offset] as number;
  }
  // Folded lines and a space before the colon are refused here, because parsers disagree about both.
  if (byte !== colon) {
    throw new Http1ParseError("malformed", "a header of the response has no valid name");
  }
  return offset;
}

function frameHead(
  status: number,
  headers: readonly HttpHeader[],
  fields: Fields,
  isHeadRequest: boolean,
): Http1ResponseHead {
  const { contentLength, isChunked, isClose, keepAliveMsMax } = fields;
  if (isHeadRequest || status === 204 || status === 304 || status < 200) {
    const declared = contentLength ?? (isChunked ? null : 0);
    return { status, headers, contentLength: declared, framing: "none", isKeepAlive: !isClose, keepAliveMsMax };
  }
  if (isChunked) {
    return { status, headers, contentLength: null, framing: "chunked", isKeepAlive: !isClose, keepAliveMsMax };
  }
  if (contentLength === null) {
    return { status, headers, contentLength: null, framing: "close", isKeepAlive: false, keepAliveMsMax };
  }
  return { status, headers, contentLength, framing: "fixed", isKeepAlive: !isClose, keepAliveMsMax };
}

function parseStatusLine(bytes: Uint8Array): number {
  const minor = digitAt(bytes, 7);
  const hundreds = digitAt(bytes, 9);
  const tens = digitAt(bytes, 10);
  const ones = digitAt(bytes, 11);
  const after = bytes[statusLineBytesMin];
  const isValid =
    isStatusLinePrefix(bytes, bytes.length) &&
    (minor === 0 || minor === 1) &&
    bytes[8] === space &&
    hundreds >= 1 &&
    hundreds <= 5 &&
    tens !== -1 &&
    ones !== -1 &&
    // Some servers whose HTTP is otherwise correct omit the space before an empty reason.
    (after === space || after === carriageReturn);
  if (!isValid) {
    throw new Http1ParseError("malformed", "the peer did not respond with a status line of HTTP/1.1");
  }
  return hundreds * 100 + tens * 10 + ones;
}

/** Whether the first `length` bytes can be the beginning of a status line. */
export function isStatusLinePrefix(bytes: Uint8Array, length: number): boolean {
  const prefixLength = Math.min(length, statusLinePrefix.length);
  for (let index = 0; index < prefixLength; index += 1) {
    if (bytes[index] !== statusLinePrefix.charCodeAt(index)) {
      return false;
    }
  }
  return true;
}

function digitAt(bytes: Uint8Array, index: number): number {
  const value = (bytes[index] ?? 0) - 48;
  return value >= 0 && value <= 9 ? value : -1;
}

function lowerCaseName(bytes: Uint8Array, start: number, end: number): string {
  let hash = end - start;
  for (let index = start; index < end; index += 1) {
    hash = (Math.imul(hash, 31) + lowerCase(bytes[index] as number)) | 0;
  }
  const known = knownNames.get(hash);
  if (known !== undefined && isName(known.bytes, bytes, start, end)) {
    return known.name;
  }
  const raw = latin1Slice.call(bytes, start, end);
  if (!tokenPattern.test(raw)) {
    throw new Http1ParseError("malformed", "a header of the response has no valid name");
  }
  const name = raw.toLowerCase();
  if (known === undefined && knownNames.size < knownNamesMax && name.length <= knownNameLengthMax) {
    knownNames.set(hash, { name, bytes: Buffer.from(name, "latin1") });
  }
  return name;
}

function isName(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) {
    return false;
  }
  for (let index = 0; index < name.length; index += 1) {
    if (name[index] !== lowerCase(bytes[start + index] as number)) {
      return false;
    }
  }
  return true;
}

function lowerCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

function trimmedValue(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.substring(start, end);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}

function noteField(fields: Fields, name: string, value: string): void {
  switch (name) {
    case "content-length":
      noteContentLength(fields, value);
      break;
    case "transfer-encoding":
      noteTransferEncoding(fields, value);
      break;
    case "connection":
      fields.isClose = fields.isClose || hasCloseOption(value);
      break;
    case "keep-alive":
      fields.keepAliveMsMax = parseKeepAliveMs(value) ?? fields.keepAliveMsMax;
      break;
    default:
      break;
  }
}

/** The same length twice is harmless and occurs with careless proxies; two different lengths are an attack. */
function noteContentLength(fields: Fields, value: string): void {
  const length = /^[0-9]{1,15}$/.test(value) ? Number(value) : -1;
  if (length === -1 || (fields.contentLength !== null && fields.contentLength !== length)) {
    throw new Http1ParseError("malformed", "the response has no valid Content-Length");
  }
  fields.contentLength = length;
}

/** We never send TE, so no coding other than chunked, once, is a valid response. */
function noteTransferEncoding(fields: Fields, value: string): void {
  if (fields.isChunked || value.toLowerCase() !== "chunked") {
    throw new Http1ParseError("malformed", "the response has a transfer coding other than chunked");
  }
  fields.isChunked = true;
}

function hasCloseOption(value: string): boolean {
  if (value === "keep-alive") {
    return false;
  }
  return value.split(",").some((option) => option.trim().toLowerCase() === "close");
}

function parseKeepAliveMs(value: string): number | null {
  const seconds = /(?:^|[\s,;])timeout=([0-9]{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
