import { describe, expect, test } from "bun:test";
import { RequestWriter } from "@sluice/http-client/request-writer";
import { Turn, turn } from "@sluice/http-client/turn";
import fc from "fast-check";

/** A turn that runs when it is told, and what happened in it, in order. */
function scene() {
  const events: string[] = [];
  let run: (() => void) | null = null;
  const made = new Turn((scheduled) => {
    events.push("scheduled");
    run = scheduled;
  });
  const writer = (name: string) => ({
    writeHeld: (memory: Buffer, start: number, length: number) =>
      void events.push(`${name} wrote ${memory.toString("latin1", start, start + length)}`),
  });
  const reader = (name: string, onData: (packet: Buffer) => void = () => undefined) => ({
    onData: (packet: Buffer) => {
      events.push(`${name} read ${packet}`);
      onData(packet);
    },
    onFailure: (error: unknown) => void events.push(`${name} failed: ${(error as Error).message}`),
  });
  return {
    events,
    turn: made,
    writer,
    reader,
    run: () => {
      const scheduled = run;
      run = null;
      scheduled?.();
    },
  };
}

const bytes = (text: string) => Buffer.from(text);

describe("a turn", () => {
  test("processes all packets, writes what they led to, and then does what comes last", () => {
    const { events, turn: made, writer, reader, run } = scene();
    const answer = writer("client");
    made.atEnd(() => events.push("end"));
    for (const name of ["a", "b"]) {
      made.read(
        reader(name, (packet) => {
          expect(made.hold(answer, packet, 0, packet.length)).toBe(true);
        }),
        bytes(`${name}1`),
      );
    }
    expect(events).toEqual(["scheduled"]);
    run();
    expect(events.slice(1)).toEqual(["a read a1", "b read b1", "client wrote a1", "client wrote b1", "end"]);
  });

  test("takes what its packets leave for its end, and leaves what its ends leave to the next one", () => {
    const { events, turn: made, reader, run } = scene();
    const last = () => void events.push("last");
    const first = () => {
      events.push("first");
      made.atEnd(last);
    };
    made.read(
      reader("a", () => made.atEnd(first)),
      bytes("1"),
    );
    run();
    expect(events).toEqual(["scheduled", "a read 1", "first", "scheduled"]);
    run();
    expect(events.slice(4)).toEqual(["last"]);
  });

  test("writes after some packets, so that the others are not waited for", () => {
    const { events, turn: made, writer, reader, run } = scene();
    for (let index = 0; index < 40; index += 1) {
      made.read(
        reader("r", (packet) => void made.hold(writer("w"), packet, 0, packet.length)),
        bytes(`${index}`),
      );
    }
    run();
    expect(events.indexOf("w wrote 0")).toBe(33);
    expect(events.indexOf("w wrote 31")).toBeLessThan(events.indexOf("r read 32"));
    expect(events.filter((event) => event.startsWith("w"))).toHaveLength(40);
  });

  test("tells a reader what it has thrown, and gives the others their packets", () => {
    const { events, turn: made, reader, run } = scene();
    const failing = reader("bad", () => {
      throw new Error("no");
    });
    made.read(failing, bytes("1"));
    made.read(reader("good"), bytes("2"));
    run();
    expect(events).toEqual(["scheduled", "bad read 1", "bad failed: no", "good read 2"]);
  });

  test("lets no more than a megabyte wait to be processed", () => {
    const { turn: made, run } = scene();
    let readBytes = 0;
    let processedBytes = 0;
    let waitingBytesMax = 0;
    const counter = {
      onData: (packet: Buffer) => {
        processedBytes += packet.length;
      },
      onFailure: () => undefined,
    };
    for (const size of [500_000, 500_000, 500_000, 20, 30_000, 2_000_000, 1]) {
      readBytes += size;
      made.read(counter, Buffer.alloc(size));
      waitingBytesMax = Math.max(waitingBytesMax, readBytes - processedBytes);
    }
    expect([waitingBytesMax, processedBytes]).toEqual([1_000_000, readBytes - 1]);
    run();
    expect(processedBytes).toBe(readBytes);
  });

  test("goes on, and reports it, when a reader of a failure, a writer or an end throws", async () => {
    const { events, turn: made, writer, reader, run } = scene();
    const no = () => {
      throw new Error("no");
    };
    const reported: unknown[] = [];
    const original = globalThis.reportError;
    globalThis.reportError = (error: unknown) => void reported.push((error as Error).message);
    try {
      made.read({ onData: no, onFailure: no }, bytes("1"));
      const hold = (to: ReturnType<typeof writer>, text: string) => void made.hold(to, bytes(text), 0, text.length);
      made.read(
        reader("a", () => hold({ writeHeld: no }, "x")),
        bytes("2"),
      );
      made.read(
        reader("b", () => hold(writer("w"), "y")),
        bytes("3"),
      );
      made.atEnd(no);
      made.atEnd(() => events.push("end"));
      run();
      await Promise.resolve();
    } finally {
      globalThis.reportError = original;
    }
    expect(events.slice(1)).toEqual(["a read 2", "b read 3", "w wrote y", "end"]);
    expect(reported).toEqual(["no", "no", "no"]);
    expect(made.hold(writer("w"), bytes("z"), 0, 1)).toBe(false);
  });

  test("gives a reader its packets before it is told that its socket is closed, and not a second time", () => {
    const { events, turn: made, reader, run } = scene();
    made.read(reader("a"), bytes("1"));
    made.catchUp();
    expect(events).toEqual(["scheduled", "a read 1"]);
    run();
    expect(events).toHaveLength(2);
  });

  test("holds nothing between two turns, and nothing large", () => {
    const { turn: made, writer, reader, run } = scene();
    const held: boolean[] = [];
    const hold = (memory: Buffer) => {
      held.push(made.hold(writer("w"), memory, 0, memory.length), made.holdPart(writer("w"), memory, 0, memory.length));
    };
    made.read(
      reader("a", () => hold(Buffer.alloc(20_000))),
      bytes("1"),
    );
    run();
    hold(bytes("x"));
    expect(held).toEqual([false, false, false, false]);
  });

  test("also holds what microtasks of its end write, and no longer", async () => {
    const { events, turn: made, writer, run } = scene();
    const held: boolean[] = [];
    const write = (text: string) => void held.push(made.hold(writer("w"), bytes(text), 0, text.length));
    made.atEnd(() => {
      queueMicrotask(() => {
        write("1");
        queueMicrotask(() => write("2"));
      });
    });
    run();
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect([held, events]).toEqual([
      [true, false],
      ["scheduled", "w wrote 1"],
    ]);
  });

  test("what is held is written once, unchanged and in order", () => {
    const write = fc.record({
      writer: fc.nat(2),
      size: fc.integer({ min: 1, max: 16_384 }),
      isPart: fc.boolean(),
      isFlushed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), (writes) => {
        const { turn: made, reader, run } = scene();
        const got: string[] = [];
        const writers = [0, 1, 2].map((name) => ({
          writeHeld: (memory: Buffer, start: number, length: number) => {
            got.push(`${name} ${memory.toString("latin1", start, start + length)}`);
            // A writer that finds its socket closed may lead to anything.
            if (length % 3 === 0) {
              made.flush();
            }
          },
        }));
        const wanted = writes.map(
          ({ writer, size }, index) => `${writer} ${String.fromCharCode(97 + (index % 26)).repeat(size)}`,
        );
        made.read(
          reader("r", () => {
            const memory = Buffer.alloc(16_386);
            for (const [index, { writer, size, isPart, isFlushed }] of writes.entries()) {
              const to = writers[writer] as (typeof writers)[number];
              memory.fill(97 + (index % 26));
              if (isPart) {
                made.holdPart(to, Buffer.from(memory), 1, size);
              } else {
                made.hold(to, memory, 1, size);
              }
              if (isFlushed) {
                made.flush();
              }
            }
          }),
          bytes("go"),
        );
        run();
        expect(got).toEqual(wanted);
      }),
    );
  });
});

describe("a request that is held", () => {
  const head = "POST / HTTP/1.1\r\n\r\n";

  /** Begins a request within a turn. */
  function begin(during: (writer: RequestWriter) => void) {
    const begun: boolean[] = [];
    const sent: string[] = [];
    const writer = new RequestWriter({ onBegun: (isOpen) => begun.push(isOpen) });
    const socket = {
      write: (memory: Uint8Array, start: number, length: number) => {
        sent.push(Buffer.from(memory.subarray(start, start + length)).toString());
        return length;
      },
    };
    const reader = {
      onData: () => {
        const scratch = Buffer.alloc(1_000);
        scratch.write(head);
        writer.start(socket, scratch, head.length, Buffer.from("body"));
        scratch.fill("-");
        during(writer);
      },
      onFailure: (error: unknown) => {
        throw error;
      },
    };
    turn.read(reader, Buffer.alloc(1));
    turn.catchUp();
    return { writer, begun, sent };
  }

  test("is not sent and not finished until its turn writes it", () => {
    const { writer, begun, sent } = begin((held) => {
      expect([held.isFinished, held.acceptedBytes]).toEqual([false, 0]);
    });
    expect([writer.isFinished, writer.acceptedBytes]).toEqual([true, head.length + 4]);
    expect([begun, sent]).toEqual([[true], [`${head}body`]]);
  });

  test("is never sent if its connection is given up meanwhile", () => {
    const { begun, sent } = begin((held) => held.cancel());
    expect([begun, sent]).toEqual([[], []]);
  });
});
