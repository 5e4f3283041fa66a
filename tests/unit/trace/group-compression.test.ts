import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { GroupCompression } from "@sluice/control-plane/trace/group-compression.ts";

const repeated = Buffer.alloc(60_000, '{"role":"system","content":"You are helpful."} ');
const noise = randomBytes(60_000);

test("groups are compressed for as long as they shrink to less than half", () => {
  const compression = new GroupCompression();
  for (let round = 0; round < 40; round += 1) {
    const frame = compression.compress(repeated, false);
    expect(frame?.length).toBeLessThan(1_000);
    expect(Bun.zstdDecompressSync(frame ?? new Uint8Array()).equals(repeated)).toBe(true);
  }
});

test("after a group that does not shrink, one of sixteen is tried, and those after one that does", () => {
  const compression = new GroupCompression();
  const isCompressed = (records: Buffer): boolean => compression.compress(records, false) !== null;
  expect(isCompressed(noise)).toBe(false);
  expect(Array.from({ length: 18 }, () => isCompressed(repeated))).toEqual([
    ...Array.from({ length: 15 }, () => false),
    ...[true, true, true],
  ]);
});

test("a group with next to nothing to save is left as it is, and says nothing of others", () => {
  const compression = new GroupCompression();
  expect(compression.compress(repeated.subarray(0, 1_000), false)).toBeNull();
  expect(compression.compress(repeated, false)).not.toBeNull();
});

test("where it is certain to pay, a group is compressed whatever became of others, unless that saves next to nothing", () => {
  const compression = new GroupCompression();
  expect(compression.compress(noise, false)).toBeNull();
  expect(compression.compress(repeated, true)?.length).toBeLessThan(1_000);
  expect(compression.compress(Buffer.concat([noise, repeated.subarray(0, 20_000)]), true)?.length).toBeLessThan(62_000);
  expect(compression.compress(noise, true)).toBeNull();
  expect(compression.compress(repeated.subarray(0, 200), true)).toBeNull();
});
