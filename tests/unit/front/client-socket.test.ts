import { expect, test } from "bun:test";
import { ClientSocket } from "@sluice/control-plane/front/client-socket.ts";
import { turn } from "@sluice/http-client/turn";
import fc from "fast-check";

const clock = { nowMs: 0 };

/** Takes as many bytes at a time as it is told. */
class SlowSocket {
  text = "";
  room = 0;

  write(bytes: Buffer, from = 0, length = bytes.length): number {
    const taken = Math.min(this.room, length);
    this.room -= taken;
    this.text += bytes.toString("latin1", from, from + taken);
    return taken;
  }

  shutdown(): void {
    this.text += "(end)";
  }
}

type Step = {
  readonly size: number;
  readonly room: number;
  readonly form: "bytes" | "parts" | "chunk" | "memory" | "part";
};

/**
 * Writes one step after the other.
 * @param onStep is told after each what was written by then, and what must not be changed until the end of the turn
 */
function write(
  socket: ClientSocket,
  slow: SlowSocket,
  steps: readonly Step[],
  onStep: (written: string, packet: Buffer) => void,
): string {
  let written = "";
  for (const [index, { size, room, form }] of steps.entries()) {
    slow.room += room;
    let packet = Buffer.alloc(0);
    const text = String.fromCharCode(97 + index).repeat(size * 7);
    written += form === "chunk" ? `${text.length.toString(16)}\r\n${text}\r\n` : text;
    if (form === "chunk") {
      socket.writeChunk(Buffer.from(`--${text}-`), 2, text.length + 2);
    } else if (form === "part") {
      packet = Buffer.from(`--${text}-`);
      socket.writePart(packet, 2, text.length + 2);
    } else if (form === "memory") {
      const memory = Buffer.from(`${text}--`);
      socket.writeFrom(memory, text.length);
      memory.fill("-");
    } else if (form === "parts") {
      const pieces = [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1, -1))];
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      socket.writeParts({ before: "", pieces, bytes, after: text.slice(1 + (pieces[1]?.length ?? 0)) });
    } else {
      socket.write(Buffer.from(text));
    }
    onStep(written, packet);
  }
  return written;
}

const step = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  room: fc.nat(90),
  form: fc.constantFrom("bytes", "parts", "chunk", "memory", "part"),
});

test("what was written reaches the client in order, whatever becomes of the buffer and however little it takes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const slow = new SlowSocket();
      const socket = new ClientSocket(slow as unknown as Bun.Socket<unknown>, clock);
      const written = write(socket, slow, steps, (soFar, packet) => {
        packet.fill("-");
        expect(socket.backlogBytes).toBe(soFar.length - slow.text.length);
      });
      slow.room = 1_000;
      expect(socket.drain()).toBe(true);
      expect([slow.text, socket.backlogBytes]).toEqual([written, 0]);
    }),
  );
});

test("what several sockets write in one turn reaches each client in order, and before its end", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 }), fc.boolean(), (stepsOf, hasEnd) => {
      const packets: Buffer[] = [];
      const all = stepsOf.map((steps) => {
        const slow = new SlowSocket();
        return { slow, steps, socket: new ClientSocket(slow as unknown as Bun.Socket<unknown>, clock), written: "" };
      });
      for (const one of all) {
        const onData = () => {
          one.written = write(one.socket, one.slow, one.steps, (_, packet) => packets.push(packet));
          if (hasEnd) {
            one.socket.end();
          }
        };
        const onFailure = (error: unknown) => {
          throw error;
        };
        turn.read({ onData, onFailure }, Buffer.alloc(1));
      }
      turn.catchUp();
      for (const packet of packets) {
        packet.fill("-");
      }
      for (const { slow, socket, written } of all) {
        expect(socket.backlogBytes).toBe(written.length - slow.text.replace("(end)", "").length);
        slow.room = 1_000;
        socket.drain();
        expect([slow.text, socket.backlogBytes]).toEqual([hasEnd ? `${written}(end)` : written, 0]);
      }
    }),
  );
});

test.each<[string, (socket: ClientSocket) => unknown]>([
  ["bytes", (socket) => socket.write(Buffer.from("a"))],
  ["memory", (socket) => socket.writeFrom(Buffer.from("a"), 1)],
])("the connection of a client that has left is closed by the next write of %s, but not within it", async (_, send) => {
  let isTerminated = false;
  const left = {
    write: () => -1,
    terminate: () => {
      isTerminated = true;
    },
  };
  const socket = new ClientSocket(left as unknown as Bun.Socket<unknown>, clock);
  send(socket);
  expect(isTerminated).toBe(false);
  await Promise.resolve();
  expect([isTerminated, socket.hasBacklog]).toEqual([true, false]);
});

test("the connection of a client that leaves while bytes wait for it is closed when the kernel says so", async () => {
  let isTerminated = false;
  const full = {
    written: 0,
    write: () => full.written,
    terminate: () => {
      isTerminated = true;
    },
  };
  const socket = new ClientSocket(full as unknown as Bun.Socket<unknown>, clock);
  socket.write(Buffer.from("a"));
  expect([socket.drain(), socket.hasBacklog]).toEqual([false, true]);
  full.written = -1;
  expect([socket.drain(), isTerminated]).toEqual([false, false]);
  await Promise.resolve();
  expect([isTerminated, socket.hasBacklog]).toEqual([true, false]);
});
