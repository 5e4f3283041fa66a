import { describe, expect, test } from "bun:test";
import { blameOf, stateAfter } from "@sluice/control-plane/gateway/catalog-admin/probe/probe-channels.ts";

type Blame = Parameters<typeof stateAfter>[1];
const fresh = { failedInRow: 0, isRested: false };
const stateOf = (...blames: readonly Blame[]) => blames.reduce(stateAfter, fresh);

describe("a channel that is tested automatically", () => {
  test("rests after three failures in a row, and comes back with the first success", () => {
    expect(stateOf("fails", "fails")).toEqual({ failedInRow: 2, isRested: false });
    expect(stateOf("fails", "fails", "fails")).toEqual({ failedInRow: 3, isRested: true });
    expect(stateOf("fails", "fails", "fails", "fails")).toEqual({ failedInRow: 4, isRested: true });
    expect(stateOf("fails", "fails", "fails", "works")).toEqual(fresh);
    expect(stateOf("fails", "fails", "works", "fails")).toEqual({ failedInRow: 1, isRested: false });
  });

  test("is neither blamed nor cleared by a test that says nothing", () => {
    expect(stateOf("fails", "fails", "unclear")).toEqual({ failedInRow: 2, isRested: false });
    expect(stateOf("fails", "fails", "fails", "unclear")).toEqual({ failedInRow: 3, isRested: true });
  });

  test.each([
    [200, true, "works"],
    [200, false, "fails"],
    [500, false, "fails"],
    [401, false, "fails"],
    [402, false, "fails"],
    [429, false, "unclear"],
    [404, false, "unclear"],
    [400, false, "unclear"],
    [null, false, "fails"],
  ] as const)("is judged by status %p (ok %p): %s", (status, isOk, blame) => {
    expect(blameOf({ is_ok: isOk, http_status: status })).toBe(blame);
  });
});
