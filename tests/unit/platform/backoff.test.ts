import { describe, expect, test } from "bun:test";
import { backoffMs } from "@sluice/control-plane/platform/backoff.ts";

describe("the wait before the next attempt", () => {
  const waits = (chance: number | undefined, random: number): number[] =>
    [1, 2, 3, 5, 1_000].map((attempts) =>
      backoffMs({ minMs: 50, maxMs: 400, ...(chance === undefined ? {} : { chance }) }, attempts, () => random),
    );

  test("doubles up to the limit", () => {
    expect(waits(undefined, 0)).toEqual([50, 100, 200, 400, 400]);
  });

  test("is randomly shortened, by up to half by default", () => {
    expect(waits(undefined, 1)).toEqual([25, 50, 100, 200, 200]);
    expect(waits(1, 1)).toEqual([0, 0, 0, 0, 0]);
    expect(waits(0.2, 0.5)).toEqual([45, 90, 180, 360, 360]);
  });
});
