/** Where a provider listens, without the addresses that its name currently has. */
export type Destination = {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
};

export type UpstreamLimits = {
  readonly connectTimeoutMs: number;
  /** From the last byte that the provider accepted to the first one that it sends. */
  readonly firstByteTimeoutMs: number;
  /** Silence between two packets of a response. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly responseBytesMax: number;
};

/** A body is sent whole, or piece by piece as it arrives; `length` is null when the sender did not declare it. */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "whole"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "stream"; readonly stream: ReadableStream<Uint8Array>; readonly length: number | null };

export type UpstreamRequest = {
  readonly destination: Destination;
  /** The destination's checked addresses, in the order in which they are tried. */
  readonly addresses: readonly string[];
  readonly method: string;
  /** Path with query, exactly as sent on the request line. */
  readonly target: string;
  /** Everything but Host, Connection and the headers that frame the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: RequestBody;
  /** More of a streamed body than this fails as `request_too_large`. */
  readonly bodyBytesMax: number;
};

export type UpstreamErrorKind =
  | "unreachable"
  | "tls"
  | "connect_timeout"
  | "first_byte_timeout"
  | "idle_timeout"
  | "total_timeout"
  | "reset_before_head"
  | "reset_in_body"
  | "malformed"
  | "too_large"
  | "request_too_large"
  | "upload_timeout"
  | "client_gone";

/** Why a call to a provider ended without a response, or in the middle of one. The message names no host and no key. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;

  constructor(kind: UpstreamErrorKind, message: string) {
    super(message);
    this.name = "UpstreamError";
    this.kind = kind;
  }
}
