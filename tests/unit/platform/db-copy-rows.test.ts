import { expect, test } from "bun:test";
import { CopyRows } from "@sluice/control-plane/platform/db-copy-rows.ts";

const headerBytes = 19;
/** So much memory there is at first. */
const openingBytes = 64 * 1024;

test("room for a row is its beginning and the rest, however full the memory is", () => {
  for (const left of [0, 1, 7, 8, 40, 47, 48, 49]) {
    const rows = new CopyRows();
    rows.beginRow(Buffer.alloc(openingBytes - headerBytes - left, 1), 0);
    const before = rows.length;
    rows.beginRow(Buffer.alloc(40, 2), 8);
    rows.integer(-3);
    const written = rows.copyFrom(before).toString("hex");
    expect([left, written]).toEqual([left, `${"02".repeat(40)}00000004fffffffd`]);
  }
});
