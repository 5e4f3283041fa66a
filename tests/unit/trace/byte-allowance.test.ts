import { expect, test } from "bun:test";
import { ByteAllowance } from "@sluice/control-plane/trace/byte-allowance.ts";

test("an allowance lets through a second's worth at once and then its rate, never more", () => {
  let tick = 0;
  const allowance = new ByteAllowance(1_000, { now: () => 0, tick: () => tick });
  expect([allowance.take(600), allowance.take(600), allowance.take(400), allowance.take(1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  tick = 100;
  expect([allowance.take(101), allowance.take(100), allowance.take(1)]).toEqual([false, true, false]);
  tick = 60_000;
  expect([allowance.take(1_001), allowance.take(1_000), allowance.take(1)]).toEqual([false, true, false]);
});
