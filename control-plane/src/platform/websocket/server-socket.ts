import type { Server, ServerWebSocket } from "bun";
import { abnormalClosure, type Frame, type FrameListener, type FrameSocket } from "./model.ts";

/** Settings for all connections that clients open. */
const serverSocketLimits = {
  /** A longer frame closes the connection with 1009. */
  maxPayloadLength: 16 * 1024 * 1024,
  /** This limit is only a backstop: a pump stops reading long before a client lags this far. */
  backpressureLimit: 64 * 1024 * 1024,
  closeOnBackpressureLimit: true,
  /** A client that responds to no ping for this many seconds is gone. */
  idleTimeout: 120,
  sendPings: true,
  perMessageDeflate: false,
} as const;

/** How long a client may take to read a close frame. */
const closeTimeoutMs = 5_000;

/** Receives the events of a client's connection once it is established. */
export interface ServerSocketOwner extends FrameListener {
  onOpen(socket: FrameSocket): void;
}

/** What the functions of the server call, which are the same for all connections. */
type SocketData = {
  open(socket: ServerWebSocket<SocketData>): void;
  message(socket: ServerWebSocket<SocketData>, message: string | Buffer): void;
  drain(): void;
  pong(): void;
  close(socket: ServerWebSocket<SocketData>, code: number, reason: string): void;
};

/** What the server does with all connections that clients open. */
export const serverSockets = {
  ...serverSocketLimits,
  open: (socket: ServerWebSocket<SocketData>) => socket.data.open(socket),
  message: (socket: ServerWebSocket<SocketData>, message: string | Buffer) => socket.data.message(socket, message),
  drain: (socket: ServerWebSocket<SocketData>) => socket.data.drain(),
  pong: (socket: ServerWebSocket<SocketData>) => socket.data.pong(),
  close: (socket: ServerWebSocket<SocketData>, code: number, reason: string) => socket.data.close(socket, code, reason),
};

/**
 * Turns the connection of a request into a websocket.
 * @param headers the headers of the 101 response; they have to choose one of the offered subprotocols
 * @returns undefined, or the response to send if the client is already gone or its request was not a proper handshake;
 * the owner is then closed before it was opened
 */
export function upgradeToSocket(
  server: Server<unknown>,
  request: Request,
  headers: Record<string, string>,
  owner: ServerSocketOwner,
): Response | undefined {
  if (server.upgrade(request, { headers, data: dataOf(owner) })) {
    return undefined;
  }
  owner.onClose(abnormalClosure, "");
  return new Response(null, { status: 400 });
}

function dataOf(owner: ServerSocketOwner): SocketData {
  let accepted: AcceptedSocket | null = null;
  return {
    open: (socket) => {
      accepted = new AcceptedSocket(socket);
      owner.onOpen(accepted);
    },
    message: (_, message) => owner.onFrame(message),
    drain: () => accepted?.onDrain(),
    pong: () => owner.onPong(),
    close: (_, code, reason) => {
      accepted?.onDrain();
      owner.onClose(code, reason);
    },
  };
}

/** A client's connection. */
class AcceptedSocket implements FrameSocket {
  readonly #socket: ServerWebSocket<SocketData>;
  #drained: PromiseWithResolvers<void> | null = null;

  constructor(socket: ServerWebSocket<SocketData>) {
    this.#socket = socket;
  }

  backlogBytes(): number {
    return this.#socket.getBufferedAmount();
  }

  send(frame: Frame): void {
    if (typeof frame === "string") {
      this.#socket.sendText(frame);
    } else {
      this.#socket.sendBinary(frame);
    }
  }

  drained(): Promise<void> {
    if (this.backlogBytes() === 0) {
      return Promise.resolve();
    }
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  onDrain(): void {
    this.#drained?.resolve();
    this.#drained = null;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(code: number, reason: string): void {
    this.#socket.resume();
    this.#socket.close(code, reason);
    // Earlier frames may still be on their way to a slow client, but not forever.
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
