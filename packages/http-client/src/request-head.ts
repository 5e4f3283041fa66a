import { type HeadMemo, HttpClientError, type HttpHeader, type HttpRequest, isStreamed } from "./model.ts";

export const requestHeadBytesMax = 64 * 1024;
/** This is enough room for any head that is not refused, even before it is known to be ASCII. */
export const scratchBytesMin = 3 * requestHeadBytesMax;

const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const hostnamePattern = /^[0-9A-Za-z._~-]+$/;
const addressPattern = /^[0-9A-Fa-f:.]+(?:%[0-9A-Za-z._~-]+)?$/;
const methodPattern = /^[A-Z]+(?:-[A-Z]+)*$/;
const visibleAsciiPattern = /^[!-~]+$/;
const beyondLatin1Pattern = /[\u0100-\uffff]/;
const tab = 9;
const space = 32;
const slash = 47;
const zero = 48;
const deleteCode = 127;
const lineEndBytes = 2;

// These decide where a message ends or what the connection becomes, so only the client may write them.
const reservedNames = new Set([
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "keep-alive",
  "upgrade",
  "te",
  "trailer",
]);

// Every request has the same few names, so a look-up replaces the checks.
const checkedNames = new Set<string>();
const checkedNamesMax = 512;
const checkedNameLengthMax = 64;

/**
 * The head that was written last, up to its length line. Nearly every request to a server begins like the one before, and
 * the bytes of that one are still in the buffer, because a body is copied after its head. They were checked.
 */
type Start = Pick<HttpRequest, "method" | "target" | "headers">;
const written: { start: Start; host: string; length: number; scratch: Buffer | null } = {
  ...{ start: { method: "", target: "", headers: [] }, host: "", length: 0, scratch: null },
};

/**
 * A host name or an address, without the brackets that an IPv6 address has in a URL.
 * @throws HttpClientError of kind `malformed` when it is neither
 */
export function parseHostname(text: string): string {
  const hostname = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (hostname.length > 255 || !(hostnamePattern.test(hostname) || addressPattern.test(hostname))) {
    throw refusal("the host name of the request is not valid");
  }
  return hostname;
}

/** The value of the Host header; an IPv6 address is in brackets. */
export function formatHost(protocol: "http:" | "https:", hostname: string, port: number): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return port === (protocol === "https:" ? 443 : 80) ? host : `${host}:${port}`;
}

/**
 * Writes the head of the request into `scratch`, which holds at least `scratchBytesMin` bytes.
 * @returns the number of bytes written
 * @throws HttpClientError of kind `malformed` when a part of the request would change the meaning of another one
 */
export function encodeRequestHead(request: HttpRequest, host: string, scratch: Buffer): number {
  const { headMemo = null } = request;
  const length = headMemo === null ? writeStart(request, host, scratch) : writeKnown(request, headMemo, host, scratch);
  return writeLengthLine(request, scratch, length);
}

/** Writes the head up to its length line. */
function writeStart(request: HttpRequest, host: string, scratch: Buffer): number {
  if (written.scratch !== scratch || written.host !== host || !isSameStart(request, written.start)) {
    written.scratch = null;
    written.length = writeChecked(request, textOf(request, host), scratch);
    const { method, target, headers } = request;
    written.start = { method, target, headers };
    written.host = host;
    written.scratch = scratch;
  }
  return written.length;
}

/** The same for requests whose headers are always the same list. */
function writeKnown(request: HttpRequest, memo: HeadMemo, host: string, scratch: Buffer): number {
  const { method, target, headers } = request;
  const { head } = memo;
  written.scratch = null;
  if (
    head !== null &&
    head.headers === headers &&
    head.target === target &&
    head.host === host &&
    head.method === method
  ) {
    scratch.set(head.bytes);
    return head.bytes.length;
  }
  const length = writeChecked(request, textOf(request, host), scratch);
  memo.head = { method, target, headers, host, bytes: Buffer.from(scratch.subarray(0, length)) };
  return length;
}

/** Whether two requests have the same head up to their length. */
function isSameStart({ method, target, headers }: Start, other: Start): boolean {
  if (method !== other.method || headers.length !== other.headers.length || target !== other.target) {
    return false;
  }
  for (let index = 0; index < headers.length; index += 1) {
    const [name, value] = headers[index] as HttpHeader;
    const [otherName, otherValue] = other.headers[index] as HttpHeader;
    if (value !== otherValue || name !== otherName) {
      return false;
    }
  }
  return true;
}

function textOf({ method, target, headers }: Start, host: string): string {
  let text = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`;
  for (const [name, value] of headers) {
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** Writes the head up to its length line, once every part of it was found to be what it seems. */
function writeChecked({ method, target, headers }: HttpRequest, text: string, scratch: Buffer): number {
  if (!methodPattern.test(method)) {
    throw refusal("the method is not valid");
  }
  if (target.charCodeAt(0) !== slash || target.includes(" ")) {
    throw refusal("the target of the request is not a path");
  }
  for (const [name] of headers) {
    checkName(name);
  }
  if (text.length > requestHeadBytesMax - lengthLineBytesMax) {
    throw refusal(`the head of the request is larger than ${requestHeadBytesMax} bytes`);
  }
  const length = writeHead(text, target, scratch);
  checkLineEnds(scratch, length, 3 + headers.length);
  return length;
}

const lengthLineBytesMax = 64;

const lengthName = Buffer.from("Content-Length: ");
const chunkedLine = Buffer.from("Transfer-Encoding: chunked\r\n\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const emptyLine = Buffer.from("\r\n");

/** Writes the last line of a head, if it has one, and the empty one. @returns where they end */
function writeLengthLine({ method, body }: HttpRequest, scratch: Buffer, from: number): number {
  if (body === null && method !== "POST" && method !== "PUT" && method !== "PATCH") {
    return addBytes(emptyLine, scratch, from);
  }
  if (isStreamed(body) && body.length === null) {
    return addBytes(chunkedLine, scratch, from);
  }
  const named = addBytes(lengthName, scratch, from);
  return addBytes(
    headEnd,
    scratch,
    addNumber(isStreamed(body) ? (body.length ?? 0) : (body?.byteLength ?? 0), scratch, named),
  );
}

/* A few bytes each: native code takes three times as long for them. */

function addBytes(piece: Buffer, scratch: Buffer, from: number): number {
  for (let index = 0; index < piece.length; index += 1) {
    scratch[from + index] = piece[index] as number;
  }
  return from + piece.length;
}

function addNumber(value: number, scratch: Buffer, from: number): number {
  let end = from + 1;
  for (let bound = 10; bound <= value; bound *= 10) {
    end += 1;
  }
  let rest = value;
  for (let at = end - 1; at >= from; at -= 1) {
    const next = Math.floor(rest / 10);
    scratch[at] = zero + rest - next * 10;
    rest = next;
  }
  return end;
}

function writeHead(text: string, target: string, scratch: Buffer): number {
  if (scratch.write(text, 0, "utf8") === text.length) {
    return text.length;
  }
  // Bytes above 127 are legal in values and are sent unchanged. A character above 255 must not get here: its lower byte
  // could be a line end.
  if (beyondLatin1Pattern.test(text) || !visibleAsciiPattern.test(target)) {
    throw refusal("the head of the request holds a character that it cannot carry");
  }
  return scratch.write(text, 0, "latin1");
}

/**
 * Only the client's own line ends may be in a head. Counting them in the bytes detects CR, LF and NUL from anywhere
 * else.
 */
function checkLineEnds(bytes: Uint8Array, length: number, lines: number): void {
  let controls = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[index] as number;
    if ((byte < space && byte !== tab) || byte === deleteCode) {
      controls += 1;
    }
  }
  if (controls !== lines * lineEndBytes) {
    throw refusal("the head of the request holds a line end or another control character");
  }
}

function checkName(name: string): void {
  if (checkedNames.has(name)) {
    return;
  }
  if (!tokenPattern.test(name)) {
    throw refusal("a header of the request has no valid name");
  }
  if (reservedNames.has(name.toLowerCase())) {
    throw refusal(`the header ${name.toLowerCase()} is set by the client itself`);
  }
  if (checkedNames.size < checkedNamesMax && name.length <= checkedNameLengthMax) {
    checkedNames.add(name);
  }
}

function refusal(message: string): HttpClientError {
  return new HttpClientError("malformed", false, message);
}
