import { expect, test } from "bun:test";
import { minus, plus, toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";

const largest = BigInt(Number.MAX_SAFE_INTEGER);
/** Small, around the largest whole number that is exact, and beyond it. */
const value = fc.oneof(
  fc.bigInt({ min: -1_000_000n, max: 1_000_000n }),
  fc.bigInt({ min: largest - 3n, max: largest + 3n }),
  fc.bigInt({ min: -largest - 3n, max: -largest + 3n }),
  fc.bigInt({ min: largest / 2n - 3n, max: largest / 2n + 3n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
);
const numRuns = 100_000;
const timeoutMs = 60_000;

test(
  "sums and differences are those of bigints, whether amounts are small or beyond what a number can represent",
  () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [left, right] = [toAmount(one), toAmount(other)];
        expect([plus(left, right), minus(left, right)]).toEqual([toAmount(one + other), toAmount(one - other)]);
        expect([left < right, left > right, left === right]).toEqual([one < other, one > other, one === other]);
      }),
      { numRuns },
    );
  },
  timeoutMs,
);

test("a sum of many amounts is exact", () => {
  fc.assert(
    fc.property(fc.array(value), (all) => {
      const sum = all.map(toAmount).reduce(plus, 0);
      expect(BigInt(sum)).toBe(all.reduce((total, each) => total + each, 0n));
    }),
  );
});

test("an amount is a number as long as that is exact", () => {
  expect([toAmount(largest), toAmount(largest + 1n)]).toEqual([Number(largest), largest + 1n]);
  expect(plus(Number(largest), 1)).toBe(largest + 1n);
  expect(plus(largest + 1n, -1)).toBe(Number(largest));
  expect(minus(largest + 1n, 1)).toBe(Number(largest));
  expect(minus(-Number(largest), 1)).toBe(-largest - 1n);
});
