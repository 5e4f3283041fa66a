import { expect, test } from "bun:test";
import { amountOf, dividedUp, minus, plus, times, toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";

const largest = BigInt(Number.MAX_SAFE_INTEGER);
/** Small ones, ones around the largest safe integer, and larger ones. */
const value = fc.oneof(
  fc.bigInt({ min: -1_000_000n, max: 1_000_000n }),
  fc.bigInt({ min: largest - 3n, max: largest + 3n }),
  fc.bigInt({ min: -largest - 3n, max: -largest + 3n }),
  fc.bigInt({ min: largest / 2n - 3n, max: largest / 2n + 3n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
);
const numRuns = process.env["TEST_FULL"] === "1" ? 100_000 : 10_000;
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

test(
  "products are those of bigints, and quotients are rounded up as theirs",
  () => {
    // The divisors of quota and multipliers, and others; also dividends just below and just above a multiple.
    const divisor = fc.oneof(fc.constantFrom(200_000_000n, 10_000n), fc.bigInt({ min: 1n, max: largest }));
    const near = fc.bigInt({ min: -1n, max: 1n });
    fc.assert(
      fc.property(value, value, divisor, near, (one, other, by, off) => {
        expect(times(toAmount(one), toAmount(other))).toBe(toAmount(one * other));
        for (const dividend of [size(one), size((size(one) / by) * by + off)]) {
          expect(dividedUp(toAmount(dividend), toAmount(by))).toBe(toAmount((dividend + by - 1n) / by));
        }
      }),
      { numRuns },
    );
  },
  timeoutMs,
);

const size = (of: bigint): bigint => (of < 0n ? -of : of);

test("a whole number beyond those that are exact is kept as a bigint", () => {
  expect([amountOf(7), amountOf(2 ** 54)]).toEqual([7, 2n ** 54n]);
  expect(times(0, -5)).toBe(0);
});

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
