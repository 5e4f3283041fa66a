import { expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { FailureWindow } from "@sluice/control-plane/gateway/channels/failure-window.ts";

const anybody = null;
const [one, two] = [1n, 2n] as [GatewayUserId, GatewayUserId];

function windowOf(
  ...calls: readonly (readonly [count: number, isFailure: boolean, who: GatewayUserId | null, tick: number])[]
) {
  const window = new FailureWindow();
  for (const [count, isFailure, who, tick] of calls) {
    for (let call = 0; call < count; call += 1) {
      window.add(isFailure, who, tick);
    }
  }
  return window.judge().kind;
}

test("a channel is bad when half of twenty calls failed, and not before", () => {
  expect(windowOf([19, true, anybody, 0])).toBe("good");
  expect(windowOf([20, true, anybody, 0])).toBe("bad");
  expect(windowOf([11, false, anybody, 0], [9, true, anybody, 0])).toBe("good");
  expect(windowOf([10, false, anybody, 0], [10, true, anybody, 0])).toBe("bad");
});

test("failures that only one customer has caused are bad for that customer", () => {
  expect(windowOf([20, true, one, 0])).toBe("bad_for_one");
  expect(windowOf([20, true, one, 0], [5, false, two, 0])).toBe("bad_for_one");
  expect(windowOf([20, true, one, 0], [5, true, two, 0])).toBe("bad");
});

test("failures are forgotten after ten seconds, even while nobody calls", () => {
  expect(windowOf([20, true, anybody, 0], [20, false, anybody, 9_000])).toBe("bad");
  expect(windowOf([20, true, anybody, 0], [20, false, anybody, 10_000])).toBe("good");
  expect(windowOf([20, true, one, 0], [20, true, two, 3_600_000])).toBe("bad_for_one");
});
