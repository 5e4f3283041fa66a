import { type Bytes, PacketPart } from "./packet-part.ts";

/**
 * A client for HTTP servers that are not trusted: one attempt, no redirects, no decompression, a limit on every phase.
 */
export type HttpHeader = readonly [name: string, value: string];

/** The address where a server listens. */
export type HttpOrigin = {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
};

/** Says whether anybody still waits for what was begun, and tells when nobody does; an AbortSignal is one. */
export interface AbortNotice {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: AbortListener): void;
  removeEventListener(type: "abort", listener: AbortListener): void;
}

export type AbortListener = { handleEvent(): void } | (() => void);

/** Where the client keeps the head of requests with the same headers; made empty by who sends them. */
export class HeadMemo {
  /** The head up to its length line, and what it was made for. */
  head:
    | (Pick<HttpRequest, "method" | "target" | "headers"> & { readonly host: string; readonly bytes: Buffer })
    | null = null;
}

/** A body that is sent piece by piece, as it arrives. */
export type HttpBodyStream = {
  readonly stream: ReadableStream<Uint8Array>;
  /** The length that is declared, or null to send the body in chunks. */
  readonly length: number | null;
  /** A longer body fails as `request_too_large`. */
  readonly bytesMax: number;
};

export type HttpRequest = HttpOrigin & {
  /** Connects to this address instead of resolving `hostname`; SNI, certificate check and Host still use `hostname`. */
  readonly address?: string;
  readonly method: string;
  /** The path with the query, exactly as in the request line. */
  readonly target: string;
  /**
   * Headers in the order in which they are sent. The client adds Host, Content-Length and Connection, and refuses CR,
   * LF and NUL in all of them.
   */
  readonly headers: readonly HttpHeader[];
  /** Given with each request that has exactly this list of headers, which must not change: its head is encoded once. */
  readonly headMemo?: HeadMemo | null;
  readonly body: Bytes | HttpBodyStream | null;
  readonly signal: AbortNotice;
  readonly limits: HttpLimits;
};

export function isStreamed(body: HttpRequest["body"]): body is HttpBodyStream {
  return body !== null && !(body instanceof PacketPart || body instanceof Uint8Array);
}

export type HttpLimits = {
  readonly connectTimeoutMs: number;
  /** The limit from the last byte sent to the first byte of the response's head. */
  readonly firstByteTimeoutMs: number;
  /**
   * The limit from the last byte sent to the first byte of the response's body; without it, the idle limit applies
   * after the head.
   */
  readonly firstBodyByteTimeoutMs?: number;
  /**
   * The limit for silence between two packets of the body; for a body that is sent as it arrives, also between two of
   * its pieces.
   */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly responseBytesMax: number;
  /**
   * How long, and for how many bytes, the body may continue after the signal fired, once the head of the response has
   * arrived. Without it, the signal ends the body immediately. The time is read repeatedly until it is over, because it may
   * become shorter.
   */
  readonly afterAbort?: { readonly timeoutMs: number; readonly bytesMax: number };
};

export type HttpResponse = {
  readonly status: number;
  /** Lower-case names in the order of arrival; repeated names are separate entries. */
  readonly headers: readonly HttpHeader[];
  readonly body: HttpResponseBody;
};

/** Exactly one of `bytes`, `bytesNow`, `consume` and `cancel` must be called, once. Until then, the socket is not read further. */
export interface HttpResponseBody {
  /** The declared length, or null when the body is chunked or ends with the connection. */
  readonly contentLength: number | null;
  /**
   * Reads the whole body.
   * @throws HttpClientError of kind `too_large` past `bytesMax`, else as `consume`
   */
  bytes(bytesMax: number): Promise<Uint8Array>;
  /**
   * The same, without a promise if the whole body has already arrived, as small ones do together with their head, and
   * without a view if it is a part of a packet.
   * @throws HttpClientError as `bytes`, or the promise rejects with it
   */
  bytesNow(bytesMax: number): Bytes | Promise<Bytes>;
  /**
   * Pushes the body into the sink until `onEnd` or `onError`; exactly one of these is called, once. A sink that throws gets
   * `onError` with the cause, also after `onEnd`.
   */
  consume(sink: HttpBodySink): HttpBodyFlow;
  /** Gives up the connection; no callback comes after that. */
  cancel(): void;
}

export interface HttpBodySink {
  /** The sink may keep the bytes: the client does not reuse them. */
  onChunk(chunk: Buffer): void;
  /** If present, called in place of `onChunk`: with the bytes where they are in their packet, which may be kept too. */
  onPart?(packet: Buffer, start: number, end: number): void;
  /** If present, called once the bytes of a packet were delivered, unless the body ends with them. */
  onPacketEnd?(): void;
  /** `isDelimited` is false when only the end of the connection marked the end of the body. */
  onEnd(isDelimited: boolean): void;
  onError(error: HttpClientError): void;
}

export interface HttpBodyFlow {
  /** Stops even in the middle of a packet, and stops reading the socket, so that the sender gets back-pressure. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Gets the head of a response, or the reason why there is none; exactly one of these is called, once. */
export interface ResponseReceiver {
  onResponse(response: HttpResponse): void;
  onFailure(error: HttpClientError): void;
}

export interface HttpClient {
  /** The same as `send` without a promise. The receiver, which must not throw, is called after this has returned. */
  ask(request: HttpRequest, receiver: ResponseReceiver): void;
  /**
   * Sends one request, and resolves as soon as the head of the response is complete. A reused connection that died
   * before any byte of the response came is replaced once by a new one, but only when the request can't have been
   * processed (nothing of it was accepted by the peer) or the method is idempotent.
   * @throws HttpClientError
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes the idle connections; those in use finish first. */
  close(): void;
}

export type HttpClientErrorKind =
  /** We have no free connection, which says nothing about the peer. */
  | "no_connection"
  | "unreachable"
  | "tls"
  | "connect_timeout"
  | "first_byte_timeout"
  /** The body of the request arrived, or was accepted, too slowly. */
  | "upload_timeout"
  | "idle_timeout"
  | "total_timeout"
  | "reset_before_head"
  | "reset_in_body"
  | "malformed"
  | "too_large"
  /** The body of the request exceeded its limit. */
  | "request_too_large"
  /** Aborted by the signal, by a sink that threw (the `cause`), or because the body of the request was cut off. */
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
