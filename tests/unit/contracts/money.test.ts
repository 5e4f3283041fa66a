import { describe, expect, test } from "bun:test";
import {
  applyMultiplier,
  ceilDivide,
  type Decimal,
  decimalToScaled,
  parseDecimal,
  scaledToDecimal,
} from "@sluice/contracts/money";
import fc from "fast-check";
import { ceiling, fromDecimal, fromInteger, times } from "../../support/values/rational.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 1_000_000 : 10_000;
const timeoutMs = 300_000;

const bases = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 62n }));
const multipliers = fc
  .tuple(fc.nat(999_999), fc.nat(9_999), fc.nat(4))
  .map(([whole, places, shown]) =>
    shown === 0 ? `${whole}` : `${whole}.${places.toString().padStart(4, "0").slice(0, shown)}`,
  );

describe("the settled quota", () => {
  test.each([
    [50n, "1.1", 55n],
    [90n, "1.1", 99n],
    [100n, "1.1", 110n],
    [3n, "1.1", 4n],
    [1n, "0.0001", 1n],
    [10_000n, "0.0001", 1n],
    [10_001n, "0.0001", 2n],
    [0n, "1.1", 0n],
    [9_007_199_254_740_993n, "1", 9_007_199_254_740_993n],
  ])("of %p at a multiplier of %p is %p", (base, multiplier, settled) => {
    expect(applyMultiplier(base, multiplier as Decimal)).toBe(settled);
  });

  test(
    "is the product rounded up, for every base and multiplier",
    () => {
      fc.assert(
        fc.property(bases, multipliers, (base, multiplier) => {
          const exact = ceiling(times(fromInteger(base), fromDecimal(multiplier)));
          expect(applyMultiplier(base, parseDecimal(multiplier))).toBe(exact);
        }),
        { numRuns },
      );
    },
    timeoutMs,
  );

  test("refuses a multiplier with more decimals than can be exact", () => {
    expect(() => applyMultiplier(1n, "1.00000000001" as Decimal)).toThrow(RangeError);
  });
});

describe("a decimal", () => {
  test.each(["", "-1", "+1", ".5", "1.", "1e3", " 1", "1 ", "0x10", "1,5", "NaN", "1234567890123"])(
    "is not parsed from %j",
    (text) => {
      expect(() => parseDecimal(text)).toThrow(RangeError);
    },
  );

  test("keeps its value when it is scaled", () => {
    fc.assert(
      fc.property(multipliers, fc.integer({ min: 4, max: 12 }), (text, scale) => {
        const [numerator, denominator] = fromDecimal(text);
        expect(decimalToScaled(text as Decimal, scale) * denominator).toBe(numerator * 10n ** BigInt(scale));
      }),
    );
  });
});

test.each([
  [0n, 4, "0"],
  [5n, 2, "0.05"],
  [50n, 2, "0.5"],
  [500n, 2, "5"],
  [12_345n, 4, "1.2345"],
])("%p units of 10^-%p are %p", (scaled, scale, text) => {
  expect(scaledToDecimal(scaled, scale)).toBe(text as Decimal);
});

test("trailing zeros of a decimal need no places", () => {
  expect(decimalToScaled("1.100000" as Decimal, 1)).toBe(11n);
  expect(() => decimalToScaled("1.110000" as Decimal, 1)).toThrow(RangeError);
});

test("a division that rounds up gives the least integer that is not too small", () => {
  fc.assert(
    fc.property(bases, fc.bigInt({ min: 1n, max: 2n ** 40n }), (dividend, divisor) => {
      const result = ceilDivide(dividend, divisor);
      expect(result * divisor).toBeGreaterThanOrEqual(dividend);
      expect((result - 1n) * divisor).toBeLessThan(dividend);
    }),
  );
});
