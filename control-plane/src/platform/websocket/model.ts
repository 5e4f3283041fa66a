import type { AbortNotice, HttpHeader } from "@sluice/http-client/model";

/** One message of a websocket: a string is a text frame, bytes are a binary frame. */
export type Frame = string | Buffer;

/** The code of a connection that was lost without a close frame; it is never sent. */
export const abnormalClosure = 1006;

export function frameBytes(frame: Frame): number {
  return typeof frame === "string" ? Buffer.byteLength(frame) : frame.byteLength;
}

/** What a pump needs from either end: both are real sockets with back-pressure in both directions. */
export interface FrameSocket {
  /** Sent bytes that wait in our memory until the peer reads them. */
  backlogBytes(): number;
  /** Sends a frame after all earlier ones; a socket that is no longer open drops it. */
  send(frame: Frame): void;
  /** Resolves once the backlog is gone, or the socket is closed. */
  drained(): Promise<void>;
  /** Stops reading, so that the peer gets back-pressure. Frames that were already read may still arrive. */
  pause(): void;
  resume(): void;
  /** Closes with a code that is allowed in a frame; the peer has a moment to respond. */
  close(code: number, reason: string): void;
  /** Drops the connection. */
  terminate(): void;
}

/** Receives the events of a socket's peer. Nothing comes after `onClose`. */
export interface FrameListener {
  onFrame(frame: Frame): void;
  /** @param code the received code: 1005 when the peer gave none, `abnormalClosure` when the connection just ended */
  onClose(code: number, reason: string): void;
  /** The peer responded to a ping. */
  onPong(): void;
}

/** A connection that we opened. It is not read until someone listens. */
export interface ClientWebSocket extends FrameSocket {
  /** Headers with which the server accepted the connection; lower-case names. */
  readonly headers: readonly HttpHeader[];
  listen(listener: FrameListener): void;
  ping(): void;
}

/** The server responded to the handshake with another status. */
export type WebSocketRefusal = {
  readonly status: number;
  readonly headers: readonly HttpHeader[];
  /** The first bytes of the response body. */
  readonly body: Buffer;
};

export type WebSocketRequest = {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
  /** Path with query. */
  readonly target: string;
  readonly headers: readonly HttpHeader[];
  /** The subprotocols in the order in which they are offered; an empty list offers none. */
  readonly subprotocols: readonly string[];
  readonly signal: AbortNotice;
  readonly limits: { readonly connectTimeoutMs: number; readonly frameBytesMax: number };
};

/** Opens connections to servers that are not trusted beyond their certificate. */
export interface WebSocketClient {
  /**
   * One attempt, no redirects, no compression, one time limit until the connection is established.
   * @throws HttpClientError of kind `unreachable`, `tls`, `connect_timeout`, `reset_before_head`, `aborted`
   */
  open(request: WebSocketRequest): Promise<ClientWebSocket | WebSocketRefusal>;
}
