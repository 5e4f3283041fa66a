import type { HttpRequest } from "./model.ts";
import type { RequestUpload } from "./request-upload.ts";
import type { Http1ParseError, Http1ResponseHead } from "./response-head.ts";

/** The request that has the connection to itself from its first byte to the last byte of the answer. */
export interface ConnectionUser {
  readonly request: HttpRequest;
  /** True while the head is out and nobody has asked for the body: bytes wait in the connection. */
  readonly isHolding: boolean;
  onConnected(): void;
  onRequestProgress(): void;
  /** The head is out; the user runs the upload of the body. */
  onUpload(upload: RequestUpload): void;
  /** The socket took all that it was given. */
  onDrained(): void;
  onPacket(): void;
  onInformational(): void;
  onHead(head: Http1ResponseHead): void;
  onBody(bytes: Buffer): void;
  onMalformed(error: Http1ParseError): void;
  /** The connection is no longer this user's in this and in the following calls. */
  onComplete(isDelimited: boolean): void;
  onConnectFailed(kind: "unreachable" | "tls", reason: string, cause: unknown): void;
  onConnectionLost(): void;
}
