import { describe, expect, test } from "bun:test";
import { RingReader, RingWriter, ringMemory } from "@sluice/control-plane/platform/byte-ring.ts";
import fc from "fast-check";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 300;

function openRing(bytes: number) {
  const memory = ringMemory(bytes);
  return { writer: new RingWriter(memory), reader: new RingReader(memory) };
}

/** Writes a record of one repeated byte, if there is room. */
function write(writer: RingWriter, length: number, byte: number): boolean {
  const room = writer.reserve(length);
  room?.fill(byte);
  if (room !== null) {
    writer.publish();
  }
  return room !== null;
}

function read(reader: RingReader): { length: number; byte: number } | null {
  const record = reader.peek();
  if (record === null) {
    return null;
  }
  expect(record.every((byte) => byte === record[0])).toBe(true);
  const seen = { length: record.length, byte: record[0] ?? 0 };
  reader.release();
  return seen;
}

describe("a ring of records", () => {
  test("gives every record that it took, whole, once and in order, whatever the lengths and turns", () => {
    const step = fc.oneof(fc.nat({ max: 1_500 }), fc.constant("read" as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { writer, reader } = openRing(4_096);
        const waiting: { length: number; byte: number }[] = [];
        for (const [index, what] of steps.entries()) {
          if (what === "read") {
            expect(read(reader)).toEqual(waiting.shift() ?? null);
          } else if (write(writer, what, index % 256)) {
            waiting.push({ length: what, byte: what === 0 ? 0 : index % 256 });
          } else {
            expect(waiting.length).toBeGreaterThan(0);
          }
        }
        for (const expected of waiting) {
          expect(read(reader)).toEqual(expected);
        }
        expect(reader.peek()).toBeNull();
      }),
      { numRuns },
    );
  });

  test("takes a record of half its size whenever it is empty, wherever it stands", () => {
    const { writer, reader } = openRing(4_096);
    for (let length = 0; length <= 2_040; length += 8) {
      expect(write(writer, length, 1)).toBe(true);
      expect(read(reader)?.length).toBe(length);
      expect(write(writer, 2_040, 2)).toBe(true);
      expect(read(reader)?.length).toBe(2_040);
    }
  });

  test("takes at least half of its size in records before any is read, wherever it stands", () => {
    for (let standing = 0; standing < 600; standing += 1) {
      const { writer, reader } = openRing(4_096);
      for (let index = 0; index < standing; index += 1) {
        expect(write(writer, 0, 1)).toBe(true);
        read(reader);
      }
      for (let index = 0; index < 15; index += 1) {
        expect(write(writer, 120, index)).toBe(true);
      }
    }
  });

  test("refuses what does not fit and overwrites nothing", () => {
    const { writer, reader } = openRing(4_096);
    expect(write(writer, 5_000, 1)).toBe(false);
    expect([write(writer, 2_000, 1), write(writer, 2_000, 2), write(writer, 2_000, 3)]).toEqual([true, true, false]);
    expect([read(reader)?.byte, write(writer, 1_900, 4), read(reader)?.byte, read(reader)?.byte]).toEqual([
      1,
      true,
      2,
      4,
    ]);
  });

  test("wakes a reader that sleeps, once, and lets none sleep that has something to read", () => {
    const { writer, reader } = openRing(4_096);
    const publish = () => {
      writer.reserve(8);
      return writer.publish();
    };
    expect(publish()).toBe(false);
    expect(reader.sleep()).toBe(false);
    read(reader);
    expect(reader.sleep()).toBe(true);
    expect([publish(), publish()]).toEqual([true, false]);
  });
});

test("records that a thread writes reach another one as they are", async () => {
  const memory = ringMemory(65_536);
  const code = `
    import { RingWriter } from ${JSON.stringify(import.meta.resolve("@sluice/control-plane/platform/byte-ring.ts"))};
    addEventListener("message", ({ data }) => {
      const writer = new RingWriter(data);
      for (let index = 0; index < 3_000; ) {
        const room = writer.reserve(8 + (index * 37) % 3_000);
        if (room === null) { Bun.sleepSync(1); continue; }
        room.fill(index % 251);
        room.writeUInt32LE(index, 0);
        writer.publish();
        index += 1;
      }
    });`;
  const address = URL.createObjectURL(new Blob([code], { type: "application/typescript" }));
  const worker = new Worker(address);
  worker.postMessage(memory);
  const reader = new RingReader(memory);
  const deadline = performance.now() + 9_000;
  for (let index = 0; index < 3_000; ) {
    const record = reader.peek();
    if (record === null) {
      expect(performance.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const isWhole =
      record.length === 8 + ((index * 37) % 3_000) &&
      record.readUInt32LE(0) === index &&
      record.subarray(4).every((byte) => byte === index % 251);
    expect(isWhole).toBe(true);
    reader.release();
    index += 1;
  }
  worker.terminate();
  URL.revokeObjectURL(address);
});
