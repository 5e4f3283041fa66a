/**
 * A strict incremental reader of HTTP/1.1 requests. It refuses everything a correct client never sends, because the
 * sandbox also judges the requests of a gateway: a smuggled or sloppy request must fail visibly here.
 */
export type RequestHeader = readonly [name: string, value: string];

export type RequestHead = {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  /** The request line and the header lines as they came, one character a byte, without the line ends. */
  readonly lines: readonly string[];
  /** Headers with lower-case names, in order of arrival; repeated names are separate entries. */
  readonly headers: readonly RequestHeader[];
  readonly isKeepAlive: boolean;
  readonly expectsContinue: boolean;
};

export type ReadStep =
  | { readonly kind: "more" }
  | { readonly kind: "head"; readonly head: RequestHead }
  | { readonly kind: "request"; readonly head: RequestHead; readonly body: Buffer }
  | { readonly kind: "violation"; readonly status: 400 | 413 | 431 | 505; readonly reason: string };

export type ReaderLimits = { readonly headBytesMax: number; readonly bodyBytesMax: number };

type Violation = Extract<ReadStep, { kind: "violation" }>;

type BodyState =
  | { readonly kind: "length"; readonly bytes: Buffer; filled: number }
  | { readonly kind: "chunked"; readonly parts: Buffer[]; length: number; left: number; phase: ChunkPhase };

type ChunkPhase = "size" | "data" | "data-end" | "trailer";

const more = { kind: "more" } as const;
const empty: Buffer = Buffer.alloc(0);
const headEnd = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const targetForm = /^(?:\/[\x21-\x7e]*|\*)$/;
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/;
const chunkLine = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;
const chunkLineBytesMax = 256;

/** Takes bytes with `push` and returns steps with `read`: for each request first its head, then the whole. */
export class RequestReader {
  readonly #limits: ReaderLimits;
  #pending = empty;
  #head: RequestHead | null = null;
  #body: BodyState | null = null;
  #isBroken = false;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  /** Adds bytes from the socket. They are kept without a copy, so the caller must not write into them afterwards. */
  push(chunk: Buffer): void {
    const rest = this.#fillLength(chunk);
    if (rest.length > 0) {
      this.#pending = this.#pending.length === 0 ? rest : Buffer.concat([this.#pending, rest]);
    }
  }

  /** The next step; after a violation there is none, and the connection must be closed. */
  read(): ReadStep {
    if (this.#isBroken) {
      return more;
    }
    const step = this.#head === null ? this.#readHead() : this.#readBody(this.#head);
    this.#isBroken = step.kind === "violation";
    return step;
  }

  /** Copies into a body of known length at once, so that a large upload isn't concatenated again and again. */
  #fillLength(chunk: Buffer): Buffer {
    const body = this.#body;
    if (body?.kind !== "length" || body.filled === body.bytes.length) {
      return chunk;
    }
    const taken = chunk.subarray(0, body.bytes.length - body.filled);
    body.bytes.set(taken, body.filled);
    body.filled += taken.length;
    return chunk.subarray(taken.length);
  }

  #readHead(): ReadStep {
    const end = this.#pending.indexOf(headEnd);
    if (end > this.#limits.headBytesMax || (end < 0 && this.#pending.length > this.#limits.headBytesMax)) {
      return violation(431, "the head is too large");
    }
    if (end < 0) {
      return more;
    }
    const parsed = parseHead(this.#pending.toString("latin1", 0, end).split("\r\n"));
    if (parsed.kind === "violation") {
      return parsed;
    }
    const length = bodyLength(parsed.head, this.#limits.bodyBytesMax);
    if (typeof length === "object") {
      return length;
    }
    this.#head = parsed.head;
    this.#pending = this.#pending.subarray(end + headEnd.length);
    this.#openBody(length);
    return { kind: "head", head: parsed.head };
  }

  #openBody(length: number | "chunked"): void {
    if (length === "chunked") {
      this.#body = { kind: "chunked", parts: [], length: 0, left: 0, phase: "size" };
      return;
    }
    const rest = this.#pending;
    if (rest.length >= length) {
      this.#body = { kind: "length", bytes: rest.subarray(0, length), filled: length };
      this.#pending = rest.subarray(length);
    } else {
      this.#body = { kind: "length", bytes: Buffer.alloc(length), filled: 0 };
      this.#pending = this.#fillLength(rest);
    }
  }

  #readBody(head: RequestHead): ReadStep {
    const body = this.#body;
    if (body === null) {
      return more;
    }
    if (body.kind === "length") {
      return body.filled === body.bytes.length ? this.#finish(head, body.bytes) : more;
    }
    for (;;) {
      const step = this.#readChunkPart(body);
      if (step === "done") {
        return this.#finish(head, Buffer.concat(body.parts));
      }
      if (step !== "again") {
        return step;
      }
    }
  }

  #finish(head: RequestHead, bytes: Buffer): ReadStep {
    this.#head = null;
    this.#body = null;
    return { kind: "request", head, body: bytes };
  }

  #readChunkPart(body: Extract<BodyState, { kind: "chunked" }>): "again" | "done" | ReadStep {
    if (body.phase === "data") {
      return this.#readChunkData(body);
    }
    const end = this.#pending.indexOf(lineEnd);
    if (end < 0) {
      return this.#pending.length > chunkLineBytesMax ? violation(400, "a line of the chunked body is too long") : more;
    }
    const line = this.#pending.toString("latin1", 0, end);
    this.#pending = this.#pending.subarray(end + lineEnd.length);
    switch (body.phase) {
      case "size":
        return startChunk(body, line, this.#limits.bodyBytesMax);
      case "data-end":
        body.phase = "size";
        return line === "" ? "again" : violation(400, "a chunk is longer than its size");
      case "trailer":
        return line === "" ? "done" : (checkHeaderLine(line) ?? "again");
    }
  }

  #readChunkData(body: Extract<BodyState, { kind: "chunked" }>): "again" | ReadStep {
    if (this.#pending.length === 0) {
      return more;
    }
    const taken = this.#pending.subarray(0, body.left);
    body.parts.push(taken);
    body.left -= taken.length;
    this.#pending = this.#pending.subarray(taken.length);
    if (body.left === 0) {
      body.phase = "data-end";
    }
    return "again";
  }
}

function violation(status: Violation["status"], reason: string): Violation {
  return { kind: "violation", status, reason };
}

function startChunk(
  body: Extract<BodyState, { kind: "chunked" }>,
  line: string,
  bodyBytesMax: number,
): "again" | Violation {
  const size = chunkLine.exec(line)?.[1];
  if (size === undefined) {
    return violation(400, "the size of a chunk is not a hexadecimal number");
  }
  body.left = Number.parseInt(size, 16);
  body.length += body.left;
  body.phase = body.left === 0 ? "trailer" : "data";
  return body.length > bodyBytesMax ? violation(413, "the body is too large") : "again";
}

function parseHead(lines: readonly string[]): { kind: "parsed"; head: RequestHead } | Violation {
  const [requestLine = "", ...headerLines] = lines;
  const [method = "", target = "", version = "", ...extra] = requestLine.split(" ");
  if (!token.test(method) || !targetForm.test(target) || extra.length > 0) {
    return violation(400, "the request line is malformed");
  }
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0") {
    return violation(505, "the protocol version is not HTTP/1.1");
  }
  const headers: RequestHeader[] = [];
  for (const line of headerLines) {
    const fault = checkHeaderLine(line);
    if (fault !== null) {
      return fault;
    }
    const colon = line.indexOf(":");
    headers.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]);
  }
  if (version === "HTTP/1.1" && valuesOf(headers, "host").length !== 1) {
    return violation(400, "there must be exactly one Host header");
  }
  const connection = valuesOf(headers, "connection").join(",").toLowerCase();
  const head: RequestHead = {
    method,
    target,
    version: version === "HTTP/1.1" ? "1.1" : "1.0",
    lines,
    headers,
    isKeepAlive: version === "HTTP/1.1" ? !connection.includes("close") : connection.includes("keep-alive"),
    expectsContinue: valuesOf(headers, "expect").some((value) => value.toLowerCase() === "100-continue"),
  };
  return { kind: "parsed", head };
}

function checkHeaderLine(line: string): Violation | null {
  const colon = line.indexOf(":");
  if (colon < 1 || !token.test(line.slice(0, colon))) {
    return violation(400, "a header name is malformed");
  }
  return valueForm.test(line.slice(colon + 1)) ? null : violation(400, "a header value has a control character");
}

/** All values of a header, given its lower-case name, in the order of arrival. */
export function valuesOf(headers: readonly RequestHeader[], name: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers) {
    if (key === name) {
      values.push(value);
    }
  }
  return values;
}

function bodyLength(head: RequestHead, bodyBytesMax: number): number | "chunked" | Violation {
  const encodings = valuesOf(head.headers, "transfer-encoding");
  const lengths = valuesOf(head.headers, "content-length");
  if (encodings.length > 0 && lengths.length > 0) {
    return violation(400, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (encodings.length > 0) {
    return encodings.length === 1 && encodings[0]?.toLowerCase() === "chunked" && head.version === "1.1"
      ? "chunked"
      : violation(400, "the only transfer encoding is 'chunked'");
  }
  const [length = "0", ...others] = lengths;
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) {
    return violation(400, "Content-Length must be one decimal number");
  }
  return Number(length) > bodyBytesMax ? violation(413, "the body is too large") : Number(length);
}
