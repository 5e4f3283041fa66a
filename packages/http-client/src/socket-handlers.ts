import { errorCode } from "./dial.ts";

export type Socket = Bun.Socket<SocketOwner>;

/** Owns a socket. */
export interface SocketOwner {
  onOpened(socket: Socket): void;
  onHandshake(socket: Socket, isTrusted: boolean, error: Error | null): void;
  onRead(packet: Buffer): void;
  onDrain(): void;
  onEnded(isReset: boolean): void;
  failConnect(kind: "unreachable" | "tls", reason: string): void;
}

export const plainHandlers: Bun.SocketHandler<SocketOwner> = {
  binaryType: "buffer",
  open: (socket) => socket.data.onOpened(socket),
  data: (socket, bytes) => socket.data.onRead(bytes),
  drain: (socket) => socket.data.onDrain(),
  end: (socket) => socket.data.onEnded(false),
  close: (socket, error) => socket.data.onEnded(error !== undefined && error !== null),
  error: (socket) => socket.data.onEnded(true),
  connectError: (socket, error) => socket.data.failConnect("unreachable", errorCode(error)),
};

export const tlsHandlers: Bun.SocketHandler<SocketOwner> = {
  ...plainHandlers,
  handshake: (socket, isTrusted, error) => socket.data.onHandshake(socket, isTrusted, error),
};
