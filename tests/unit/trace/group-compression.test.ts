import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { GroupCompression } from "@sluice/control-plane/trace/group-compression.ts";

const repeated = Buffer.alloc(60_000, '{"role":"system","content":"You are helpful."} ');
const noise = randomBytes(60_000);

test("groups are compressed for as long as they shrink to less than half", () => {
  const compression = new GroupCompression();
  for (let round = 0; round < 40; round += 1) {
    const frame = compression.compress(repeated);
    expect(frame?.length).toBeLessThan(1_000);
    expect(Bun.zstdDecompressSync(frame ?? new Uint8Array()).equals(repeated)).toBe(true);
  }
});

test("after a group that does not shrink, one of sixteen is tried, and those after one that does", () => {
  const compression = new GroupCompression();
  const isCompressed = (records: Buffer): boolean => compression.compress(records) !== null;
  expect(isCompressed(noise)).toBe(false);
  expect(Array.from({ length: 18 }, () => isCompressed(repeated))).toEqual([
    ...Array.from({ length: 15 }, () => false),
    ...[true, true, true],
  ]);
});

test("a group with next to nothing to save is left as it is, and says nothing of others", () => {
  const compression = new GroupCompression();
  expect(compression.compress(repeated.subarray(0, 1_000))).toBeNull();
  expect(compression.compress(repeated)).not.toBeNull();
});
