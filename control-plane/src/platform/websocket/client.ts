import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import {
  type AbortNotice,
  HttpClientError,
  type HttpClientErrorKind,
  type HttpHeader,
} from "@sluice/http-client/model";
import { formatHost } from "@sluice/http-client/request-head";
import { WebSocket } from "ws";
import type {
  ClientWebSocket,
  Frame,
  FrameListener,
  WebSocketClient,
  WebSocketRefusal,
  WebSocketRequest,
} from "./model.ts";

const refusalBytesMax = 65_536;
/** How long a peer may take to respond to a close frame. */
const closeTimeoutMs = 1_000;

/**
 * A client that uses the `ws` package, which on Bun is a part of the runtime. The runtime's own WebSocket is not
 * sufficient: it reads frames of any size into memory, reports a refused handshake only as a sentence with the status
 * code, and does not report when sent data has left.
 */
export class WsWebSocketClient implements WebSocketClient {
  readonly #tlsCa: string | null;
  readonly #guard: AddressGuard | null;

  /**
   * @param tlsCa certificates to trust in place of the usual ones, as PEM
   * @param guard checks where names lead; null leaves that to the system
   */
  constructor(tlsCa: string | null = null, guard: AddressGuard | null = null) {
    this.#tlsCa = tlsCa;
    this.#guard = guard;
  }

  async open(request: WebSocketRequest): Promise<ClientWebSocket | WebSocketRefusal> {
    const { hostname, port, signal, limits } = request;
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), limits.connectTimeoutMs);
    try {
      throwIfGone(signal);
      const addresses = this.#guard === null ? [hostname] : await this.#guard.addressesOf({ hostname, port });
      for (const [index, address] of addresses.entries()) {
        throwIfGone(signal);
        const answer = await this.#dial(request, address, overdue.signal);
        // If nobody was listening, nothing has been sent yet.
        if (!(answer instanceof HttpClientError)) {
          return answer;
        }
        if (answer.kind !== "unreachable" || index === addresses.length - 1) {
          throw answer;
        }
      }
      throw new HttpClientError("unreachable", false, "the server has no address");
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connects to an address, using the server's name for SNI, the certificate check and `Host`. */
  async #dial(
    request: WebSocketRequest,
    address: string,
    overdue: AbortSignal,
  ): Promise<ClientWebSocket | WebSocketRefusal | HttpClientError> {
    const { protocol, hostname, port, target, limits } = request;
    const scheme = protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(
      `${scheme}//${formatHost(protocol, address, port)}${target}`,
      [...request.subprotocols],
      {
        headers: { ...Object.fromEntries(request.headers), host: formatHost(protocol, hostname, port) },
        perMessageDeflate: false,
        maxPayload: limits.frameBytesMax,
        followRedirects: false,
        ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
        ...(this.#tlsCa === null ? {} : { ca: this.#tlsCa }),
      },
    );
    return await new Handshake(socket, request.signal, overdue).outcome;
  }
}

function throwIfGone(signal: AbortNotice): void {
  if (signal.aborted) {
    throw new HttpClientError("aborted", false, "the caller left before the connection was begun");
  }
}

/** A handshake, from the first packet until the connection is established, refused, or failed. */
class Handshake {
  readonly outcome: Promise<ClientWebSocket | WebSocketRefusal | HttpClientError>;
  readonly #settled = Promise.withResolvers<ClientWebSocket | WebSocketRefusal | HttpClientError>();
  readonly #socket: WebSocket;
  #headers: HttpHeader[] = [];

  /** @param overdue fires if the connection is not established in time */
  constructor(socket: WebSocket, signal: AbortNotice, overdue: AbortSignal) {
    this.#socket = socket;
    const onAbort = () => this.#fail("aborted", "the caller left");
    const onOverdue = () => this.#fail("connect_timeout", "the connection was not established in time");
    signal.addEventListener("abort", onAbort);
    overdue.addEventListener("abort", onOverdue, { once: true });
    if (overdue.aborted) {
      onOverdue();
    }
    socket.on("upgrade", (response) => {
      this.#headers = toHeaders(response);
    });
    socket.on("open", () => {
      // The socket is paused before anything else, so that frames right after the handshake wait for a listener.
      socket.pause();
      this.#settled.resolve(new OpenSocket(socket, this.#headers));
    });
    socket.on("unexpected-response", (_request, response) => this.#refuse(response));
    socket.on("error", (error) => this.#fail(toKind(error), error.message));
    this.outcome = this.#settled.promise.finally(() => {
      signal.removeEventListener("abort", onAbort);
      overdue.removeEventListener("abort", onOverdue);
    });
  }

  #refuse(response: IncomingMessage): void {
    const pieces: Buffer[] = [];
    let length = 0;
    const finish = () => {
      this.#settled.resolve({
        status: response.statusCode ?? 0,
        headers: toHeaders(response),
        body: Buffer.concat(pieces).subarray(0, refusalBytesMax),
      });
      this.#socket.terminate();
    };
    response.on("data", (piece: Buffer) => {
      pieces.push(piece);
      length += piece.byteLength;
      if (length >= refusalBytesMax) {
        finish();
      }
    });
    response.on("end", finish);
    response.on("error", finish);
  }

  #fail(kind: HttpClientErrorKind, message: string): void {
    this.#settled.resolve(new HttpClientError(kind, false, message));
    this.#socket.terminate();
  }
}

class OpenSocket implements ClientWebSocket {
  readonly headers: readonly HttpHeader[];
  readonly #socket: WebSocket;
  #listener: FrameListener | null = null;
  /** Events that arrived before anyone listened. */
  #early: (() => void)[] = [];
  #drained: PromiseWithResolvers<void> | null = null;

  constructor(socket: WebSocket, headers: readonly HttpHeader[]) {
    this.#socket = socket;
    this.headers = headers;
    socket.on("message", (data: Buffer, isBinary) => {
      this.#hear((listener) => listener.onFrame(isBinary ? data : data.toString("utf8")));
    });
    socket.on("pong", () => this.#hear((listener) => listener.onPong()));
    socket.on("close", (code, reason) => {
      this.#drained?.resolve();
      this.#hear((listener) => listener.onClose(code, reason.toString("utf8")));
    });
    // A close event follows every error, with all details that are needed.
    socket.on("error", () => undefined);
  }

  listen(listener: FrameListener): void {
    this.#listener = listener;
    this.#socket.resume();
    for (const hear of this.#early.splice(0)) {
      hear();
    }
  }

  backlogBytes(): number {
    return this.#socket.readyState === WebSocket.OPEN ? this.#socket.bufferedAmount : 0;
  }

  send(frame: Frame): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(frame, { binary: typeof frame !== "string" }, () => this.#noteSent());
    }
  }

  drained(): Promise<void> {
    if (this.backlogBytes() === 0) {
      return Promise.resolve();
    }
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.ping();
    }
  }

  close(code: number, reason: string): void {
    // A paused socket would never see the response.
    this.#socket.resume();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #noteSent(): void {
    if (this.#drained !== null && this.backlogBytes() === 0) {
      this.#drained.resolve();
      this.#drained = null;
    }
  }

  #hear(tell: (listener: FrameListener) => void): void {
    const listener = this.#listener;
    if (listener === null) {
      this.#early.push(() => this.#hear(tell));
    } else {
      tell(listener);
    }
  }
}

function toHeaders(response: IncomingMessage): HttpHeader[] {
  const headers: HttpHeader[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    for (const single of [value ?? []].flat()) {
      headers.push([name, single]);
    }
  }
  return headers;
}

const tlsCodes = /CERT|TLS|SSL|VERIFY|SIGNATURE/;
const resetCodes = /^(ECONNRESET|EPIPE)$/;

/**
 * The meaning of an error before the connection was open. A server that does not speak HTTP counts as one that hung up.
 */
function toKind(error: Error): HttpClientErrorKind {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (tlsCodes.test(code)) {
    return "tls";
  }
  return code === "" || resetCodes.test(code) || code.startsWith("HPE_") ? "reset_before_head" : "unreachable";
}
