import { errorCode } from "./dial.ts";
import { type PacketReader, turn } from "./turn.ts";

/** What a socket belongs to. */
export interface SocketOwner extends PacketReader {
  onOpened(socket: Bun.Socket<SocketOwner>): void;
  onHandshake(socket: Bun.Socket<SocketOwner>, isTrusted: boolean, error: Error | null): void;
  onDrain(): void;
  onEnded(isReset: boolean): void;
  failConnect(kind: "unreachable" | "tls", reason: string): void;
}

function onEnded({ data: owner }: Bun.Socket<SocketOwner>, isReset: boolean): void {
  turn.catchUp();
  owner.onEnded(isReset);
}

export const plainHandlers: Bun.SocketHandler<SocketOwner> = {
  binaryType: "buffer",
  open: (socket) => socket.data.onOpened(socket),
  data: (socket, bytes) => turn.read(socket.data, bytes),
  drain: (socket) => socket.data.onDrain(),
  end: (socket) => onEnded(socket, false),
  close: (socket, error) => onEnded(socket, error !== undefined && error !== null),
  error: (socket) => onEnded(socket, true),
  connectError: (socket, error) => socket.data.failConnect("unreachable", errorCode(error)),
};

export const tlsHandlers: Bun.SocketHandler<SocketOwner> = {
  ...plainHandlers,
  handshake: (socket, isTrusted, error) => socket.data.onHandshake(socket, isTrusted, error),
};
