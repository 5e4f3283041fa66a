/**
 * Passes the bytes of each client on to a connection of its own to the provider, and back, sorted by kind in each turn of the event loop as
 * the service does. `bun pass-bytes-on.ts <port> <provider's port>`.
 */

import { type HeldWriter, type PacketReader, turn } from "@sluice/http-client/turn";
import type { Socket } from "bun";

const [port, providerPort] = process.argv.slice(2).map(Number) as [number, number];

/** One direction of a connection. */
class Pipe implements PacketReader, HeldWriter {
  target: Socket<Ends> | null = null;
  /** What the target has not taken yet. */
  #waiting: Buffer[] = [];

  onData(packet: Buffer): void {
    if (!turn.holdPart(this, packet, 0, packet.length)) {
      this.writeHeld(packet, 0, packet.length);
    }
  }

  onFailure(error: unknown): void {
    throw error;
  }

  writeHeld(memory: Buffer, start: number, length: number): void {
    const isBlocked = this.target === null || this.#waiting.length > 0;
    // Negative if the target is closed.
    const taken = isBlocked ? 0 : Math.max(0, this.target?.write(memory, start, length) ?? 0);
    if (taken < length) {
      this.#waiting.push(Buffer.from(memory.subarray(start + taken, start + length)));
    }
  }

  /** Writes what waits: the target is connected, or takes bytes again. */
  goOn(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const piece of waiting) {
      this.writeHeld(piece, 0, piece.length);
    }
  }
}

/** What a socket brings goes into one pipe, and what it takes comes from another. */
type Ends = { readonly from: Pipe; readonly into: Pipe };

const handlers: Bun.SocketHandler<Ends> = {
  binaryType: "buffer",
  data: (socket, packet) => turn.read(socket.data.from, packet),
  drain: (socket) => socket.data.into.goOn(),
  close: (socket) => {
    socket.data.from.target?.end();
  },
  error: (_socket, error) => {
    throw error;
  },
};

Bun.listen<Ends>({
  hostname: "127.0.0.1",
  port,
  socket: {
    ...handlers,
    async open(client) {
      const [request, response] = [new Pipe(), new Pipe()];
      client.data = { from: request, into: response };
      response.target = client;
      const data = { from: response, into: request };
      request.target = await Bun.connect<Ends>({ hostname: "127.0.0.1", port: providerPort, data, socket: handlers });
      request.goOn();
    },
  },
});
