import { describe, expect, test } from "bun:test";
import {
  RingReader,
  RingWriter,
  recordHeaderBytes,
  recordSpan,
  ringMemory,
} from "@sluice/control-plane/platform/byte-ring.ts";
import fc from "fast-check";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 300;

function openRing(bytes: number) {
  const memory = ringMemory(bytes);
  return { writer: new RingWriter(memory), reader: new RingReader(memory) };
}

/** Writes a record of one repeated byte, if there is room. */
function write(writer: RingWriter, length: number, byte: number): boolean {
  const at = writer.reserve(length, byte * 3);
  if (at === -1) {
    return false;
  }
  writer.bytes.fill(byte, at, at + length);
  writer.publish();
  return true;
}

function read(reader: RingReader): { length: number; byte: number } | null {
  if (!reader.peek()) {
    return null;
  }
  const { start, length, mark } = reader;
  const byte = mark / 3;
  expect(reader.bytes.subarray(start, start + length).every((each) => each === byte)).toBe(true);
  reader.pass();
  reader.release();
  return { length, byte };
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
            waiting.push({ length: what, byte: index % 256 });
          } else {
            expect(waiting.length).toBeGreaterThan(0);
          }
        }
        for (const expected of waiting) {
          expect(read(reader)).toEqual(expected);
        }
        expect(reader.peek()).toBe(false);
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

  test("are one piece of memory, with zeros after each, and take their room until they are released", () => {
    const { writer, reader } = openRing(4_096);
    // What was there before is not seen.
    expect(write(writer, 2_000, 0xff)).toBe(true);
    read(reader);
    expect(write(writer, 2_032, 0xff)).toBe(true);
    read(reader);
    const lengths = [0, 1, 7, 8, 9, 2_000];
    for (const length of lengths) {
      expect(write(writer, length, 0xaa)).toBe(true);
    }
    let end = 0;
    for (const length of lengths) {
      expect([reader.peek(), reader.start, reader.length]).toEqual([true, end + recordHeaderBytes, length]);
      end += recordSpan(length);
      expect(reader.bytes.subarray(reader.start + length, end).every((byte) => byte === 0)).toBe(true);
      reader.pass();
    }
    expect([reader.peek(), reader.waitingBytes, writer.reserve(2_040)]).toEqual([false, 0, -1]);
    reader.release();
    expect(writer.reserve(2_040)).not.toBe(-1);
  });

  test.each([
    [1, true],
    [8, true],
    [10, false],
  ])("of which %i of 32 wait at most while it is filled four times says that it is idle: %p", (waitingMost, isIdle) => {
    const { writer, reader } = openRing(4_096);
    const answers: boolean[] = [];
    for (let written = 0; written < 128; written += waitingMost) {
      for (let count = 0; count < waitingMost; count += 1) {
        answers.push(writer.takeIdleness());
        expect(write(writer, 120, 1)).toBe(true);
      }
      while (reader.peek()) {
        read(reader);
      }
    }
    expect(answers).not.toContain(true);
    expect([writer.takeIdleness(), writer.takeIdleness()]).toEqual([isIdle, false]);
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
        const length = 8 + (index * 37) % 3_000;
        const at = writer.reserve(length, index);
        if (at === -1) { Bun.sleepSync(1); continue; }
        writer.bytes.fill(index % 251, at, at + length);
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
    if (!reader.peek()) {
      expect(performance.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const { start, length, mark } = reader;
    expect([length, mark]).toEqual([8 + ((index * 37) % 3_000), index]);
    expect(reader.bytes.subarray(start, start + length).every((byte) => byte === index % 251)).toBe(true);
    reader.pass();
    reader.release();
    index += 1;
  }
  worker.terminate();
  URL.revokeObjectURL(address);
});
