import { expect, test } from "bun:test";
import { readKeysetPage } from "@sluice/control-plane/platform/keyset-page.ts";

const all = [5, 4, 3, 2, 1];
const pageAfter = (cursor: number, limit: number) =>
  readKeysetPage(
    limit,
    (most) => Promise.resolve(all.filter((each) => each < cursor).slice(0, most)),
    (row) => row,
  );

test("each page begins after the last row of the one before, and the last page has no cursor", async () => {
  expect(await pageAfter(9, 2)).toEqual({ rows: [5, 4], nextCursor: 4 });
  expect(await pageAfter(4, 2)).toEqual({ rows: [3, 2], nextCursor: 2 });
  expect(await pageAfter(2, 2)).toEqual({ rows: [1], nextCursor: null });
});

test("a page that ends with the last row has no cursor, and neither has an empty one", async () => {
  expect(await pageAfter(3, 2)).toEqual({ rows: [2, 1], nextCursor: null });
  expect(await pageAfter(1, 2)).toEqual({ rows: [], nextCursor: null });
});
