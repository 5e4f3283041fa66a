import { expect, test } from "bun:test";
import { listStaticChecks } from "../../runner/jobs.ts";

test("lint begins last, because it alone takes every processor that the others leave", async () => {
  const names = (await listStaticChecks()).map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(4);
  expect(names.at(-1)).toBe("lint");
});
