/**
 * How to talk to an HTTP server that is not trusted: one attempt, no redirects, no decompression, a limit on every phase.
 */
export type HttpHeader = readonly [name: string, value: string];

/** Where a server listens. */
export type HttpOrigin = {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
};

/** A body that is sent piece by piece as it comes. */
export type HttpBodyStream = {
  readonly stream: ReadableStream<Uint8Array>;
  /** What is announced, or null to send it in chunks. */
  readonly length: number | null;
  /** More than this fails as `request_too_large`. */
  readonly bytesMax: number;
};

export type HttpRequest = HttpOrigin & {
  /** Connect to this address instead of resolving `hostname`; SNI, certificate check and Host stay with `hostname`. */
  readonly address?: string;
  readonly method: string;
  /** Path with query, exactly as it goes on the request line. */
  readonly target: string;
  /** Sent in this order. The client adds Host, Content-Length and Connection and refuses CR, LF and NUL in any of them. */
  readonly headers: readonly HttpHeader[];
  readonly body: Uint8Array | HttpBodyStream | null;
  readonly signal: AbortSignal;
  readonly limits: HttpLimits;
};

export function isStreamed(body: HttpRequest["body"]): body is HttpBodyStream {
  return body !== null && !(body instanceof Uint8Array);
}

export type HttpLimits = {
  readonly connectTimeoutMs: number;
  /** From the last byte sent to the first byte of the answer's head. */
  readonly firstByteTimeoutMs: number;
  /** From the last byte sent to the first byte of the answer's body; without it the idle limit holds from the head on. */
  readonly firstBodyByteTimeoutMs?: number;
  /** Silence between two packets of the body; for a body that is sent as it comes, also between two pieces of it. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly responseBytesMax: number;
  /**
   * How long, and how far, the body may go on after the signal fired, once the head of the answer is there. Without it
   * the signal ends the body at once. The time is asked for again until it is over: it may become shorter.
   */
  readonly afterAbort?: { readonly timeoutMs: number; readonly bytesMax: number };
};

export type HttpResponse = {
  readonly status: number;
  /** Lower-case names in the order of arrival; repeated names are separate entries. */
  readonly headers: readonly HttpHeader[];
  readonly body: HttpResponseBody;
};

/** Exactly one of `bytes`, `consume` and `cancel` is called, once. Until then the socket is not read further. */
export interface HttpResponseBody {
  /** The declared length, or null when the body is chunked or ends with the connection. */
  readonly contentLength: number | null;
  /**
   * The whole body.
   * @throws HttpClientError of kind `too_large` past `bytesMax`, else as `consume`
   */
  bytes(bytesMax: number): Promise<Uint8Array>;
  /** Pushes the body into the sink until `onEnd` or `onError`; exactly one of these is called, once. */
  consume(sink: HttpBodySink): HttpBodyFlow;
  /** Gives the connection up; no callback comes after it. */
  cancel(): void;
}

export interface HttpBodySink {
  /** The bytes may be kept: the client does not reuse them. */
  onChunk(chunk: Buffer): void;
  /** `isDelimited` is false when only the end of the connection marked the end of the body. */
  onEnd(isDelimited: boolean): void;
  onError(error: HttpClientError): void;
}

export interface HttpBodyFlow {
  /** Stops in the middle of a packet, and stops reading the socket, so that the sender feels the back-pressure. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

export interface HttpClient {
  /**
   * Sends one request and answers as soon as the head of the response is complete.
   * A reused connection that died before any byte of the answer came is replaced once by a fresh one, only when the
   * request can't have been processed (nothing of it was accepted by the peer) or the method is idempotent.
   * @throws HttpClientError
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; those in use finish first. */
  close(): void;
}

export type HttpClientErrorKind =
  /** We have no connection to give, which says nothing of the peer. */
  | "no_connection"
  | "unreachable"
  | "tls"
  | "connect_timeout"
  | "first_byte_timeout"
  /** The body of the request came, or was taken, too slowly. */
  | "upload_timeout"
  | "idle_timeout"
  | "total_timeout"
  | "reset_before_head"
  | "reset_in_body"
  | "malformed"
  | "too_large"
  /** The body of the request grew beyond its limit. */
  | "request_too_large"
  /** By the signal, by a sink that threw (the `cause`), or because the body of the request was cut off. */
  | "aborted";

export class HttpClientError extends Error {
  readonly kind: HttpClientErrorKind;
  /** Whether any byte of the request may have reached the peer. */
  readonly isRequestSent: boolean;

  constructor(kind: HttpClientErrorKind, isRequestSent: boolean, message: string) {
    super(message);
    this.name = "HttpClientError";
    this.kind = kind;
    this.isRequestSent = isRequestSent;
  }
}
