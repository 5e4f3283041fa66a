import { expect, test } from "bun:test";
import { judgeErrors } from "@sluice/control-plane/usage/reports/watch-errors.ts";

const rule = { percent: 25, attemptsMin: 20 };
const judge = (failed: number, attempts: number) => judgeErrors({ failed, attempts }, rule);

test("an error rate is high from its limit on, and low from half of it, so that it does not flap between", () => {
  expect([judge(25, 100), judge(24, 100), judge(13, 100), judge(12, 100)]).toEqual([
    "high",
    "unclear",
    "unclear",
    "low",
  ]);
});

test("few attempts say nothing, except that it is over when all of them succeed", () => {
  expect([judge(19, 19), judge(0, 0), judge(0, 1)]).toEqual(["unclear", "unclear", "low"]);
});
