import type { HttpRequest } from "./model.ts";
import type { RequestUpload } from "./request-upload.ts";
import type { Http1ParseError, Http1ResponseHead } from "./response-head.ts";

/** The request that owns the connection from its first byte to the last byte of the response. */
export interface ConnectionUser {
  readonly request: HttpRequest;
  /** True while the head was delivered and nobody has asked for the body: bytes wait in the connection. */
  readonly isHolding: boolean;
  onConnected(): void;
  onRequestProgress(): void;
  /** The head was sent; the user now runs the upload of the body. */
  onUpload(upload: RequestUpload): void;
  /** The socket accepted everything that it was given. */
  onDrained(): void;
  onPacket(): void;
  onInformational(): void;
  onHead(head: Http1ResponseHead): void;
  /** The parser has read what it can of a packet, and the connection keeps the rest; not called after a failure. */
  onPacketRead(): void;
  onBody(packet: Buffer, start: number, end: number): void;
  onMalformed(error: Http1ParseError): void;
  /** In this call and in the following ones, the connection no longer belongs to the user. */
  onComplete(isDelimited: boolean): void;
  onConnectFailed(kind: "unreachable" | "tls", reason: string, cause: unknown): void;
  onConnectionLost(): void;
}
