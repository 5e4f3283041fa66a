import { expect, test } from "bun:test";
import { RequestBuffer } from "@sluice/control-plane/front/request-buffer.ts";

/** Fills a buffer with one packet. */
const filled = (bytes: number): RequestBuffer => {
  const buffer = new RequestBuffer();
  buffer.add(Buffer.alloc(bytes, "x"));
  return buffer;
};

test("requests that came together are not copied again for each of them", () => {
  const buffer = filled(100_000);
  let copies = 0;
  for (let memory = buffer.bytes.buffer; buffer.length > 0; memory = buffer.bytes.buffer) {
    expect(buffer.take(100)).toHaveLength(100);
    copies += buffer.length > 0 && buffer.bytes.buffer !== memory ? buffer.length : 0;
  }
  // Each byte at most once, in sum.
  expect(copies).toBeLessThanOrEqual(100_000);
});

test("a short rest does not keep the memory of a long request", () => {
  const buffer = filled(100_000);
  buffer.take(99_000);
  expect([buffer.length, buffer.bytes.buffer.byteLength < 10_000]).toEqual([1_000, true]);
});

test("what is added after a part was taken changes nothing that was taken", () => {
  const buffer = filled(100);
  const taken = buffer.take(10);
  buffer.add(Buffer.alloc(50, "y"));
  expect(taken.toString()).toBe("x".repeat(10));
  expect(buffer.takeAll().toString()).toBe("x".repeat(90) + "y".repeat(50));
});
