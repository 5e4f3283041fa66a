import { expect, test } from "bun:test";
import { plus, toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const values = fc.array(
  fc.oneof(
    fc.bigInt({ min: 0n, max: 1_000_000n }),
    fc.bigInt({ min: largest - 3n, max: largest + 3n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  ),
);

test("a sum of amounts is exact, whether they are small or beyond what a number can represent", () => {
  fc.assert(
    fc.property(values, (all) => {
      const sum = all.map(toAmount).reduce(plus, 0);
      expect(BigInt(sum)).toBe(all.reduce((total, value) => total + value, 0n));
    }),
  );
});

test("an amount is a number as long as that is exact", () => {
  expect([toAmount(largest), toAmount(largest + 1n)]).toEqual([Number(largest), largest + 1n]);
  expect(plus(Number(largest), 1)).toBe(largest + 1n);
  expect(plus(largest + 1n, -1)).toBe(Number(largest));
});
