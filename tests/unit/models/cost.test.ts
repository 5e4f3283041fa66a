import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import {
  costLines,
  costOf,
  toQuota,
  withMultiplier,
  withMultiplierAboveOne,
} from "@sluice/control-plane/models/cost.ts";
import { type Rates, toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { countName, unitsOf } from "@sluice/control-plane/models/units.ts";
import { toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";
import { anyUnits, type CountedUnits, exactCost, prices } from "../../support/calls/priced-usage.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 1_000_000 : 2_000;
/** A million runs take 75 s of processor time, which is several times as long on a busy machine. */
const timeoutMs = 900_000;

const nothing = {
  inputTokens: 0n,
  outputTokens: 0n,
  cacheReadTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  images: 0,
  audioMs: 0n,
  cacheWrite1hTokens: 0n,
  searches: 0,
};
const free = {
  version: 1,
  input_usd_per_m: "0",
  output_usd_per_m: "0",
  cache_read_usd_per_m: null,
  cache_write_usd_per_m: null,
  reasoning_usd_per_m: null,
  request_usd: "0",
  image_usd: "0",
  second_usd: "0",
  cache_write_1h_usd_per_m: null,
  search_usd_per_k: "0",
  long_prompt: null,
};

/** The cost by bigints, which must be the cost by numbers, too. */
function cost(units: CountedUnits, rates: Rates, requests: bigint): bigint {
  const inBigints = costOf(units, rates, requests);
  const amounts = unitsOf((unit) => toAmount(BigInt(units[countName(unit)])));
  expect(costOf(amounts, rates, toAmount(requests))).toBe(inBigints);
  return BigInt(inBigints);
}

describe("the cost of a call", () => {
  test(
    "is the exact sum of units times prices, rounded up once",
    () => {
      fc.assert(
        fc.property(anyUnits, prices, (units, texts) => {
          expect(cost(units, toPriceVersion(texts), 1n)).toBe(exactCost(units, texts));
        }),
        { numRuns },
      );
    },
    timeoutMs,
  );

  test(
    "is the sum of the lines of its receipt",
    () => {
      fc.assert(
        fc.property(anyUnits, prices, (units, texts) => {
          const price = toPriceVersion(texts);
          const parts = costLines(units, price, 1n).reduce((sum, line) => sum + line.parts, 0n);
          expect(BigInt(toQuota(parts))).toBe(cost(units, price, 1n));
        }),
        { numRuns: numRuns / 10 },
      );
    },
    timeoutMs,
  );

  test("of the smallest possible amount is one quota, and of nothing is zero", () => {
    const price = toPriceVersion({ ...free, input_usd_per_m: "0.00000001" });
    expect(cost({ ...nothing, inputTokens: 1n }, price, 1n)).toBe(1n);
    expect(cost(nothing, price, 1n)).toBe(0n);
  });

  test("of requests is their price, however many there are", () => {
    const price = toPriceVersion({ ...free, request_usd: "0.01" });
    expect([0n, 1n, 3n].map((requests) => cost(nothing, price, requests))).toEqual([0n, 5_000n, 15_000n]);
  });

  test("is not rounded line by line", () => {
    // Each of the three lines alone costs a third of a quota.
    const third = {
      ...free,
      input_usd_per_m: "0.66666667",
      output_usd_per_m: "0.66666666",
      reasoning_usd_per_m: "0.66666667",
    };
    const units = { ...nothing, inputTokens: 1n, outputTokens: 2n, reasoningTokens: 1n };
    expect(cost(units, toPriceVersion(third), 1n)).toBe(1n);
  });

  test("counts cached and reasoning tokens on their own lines and not again on the plain ones", () => {
    const price = toPriceVersion({
      ...free,
      input_usd_per_m: "1",
      cache_read_usd_per_m: "0.1",
      cache_write_usd_per_m: "2",
      output_usd_per_m: "10",
      reasoning_usd_per_m: "4",
    });
    const units = {
      ...nothing,
      inputTokens: 1_000n,
      cacheReadTokens: 600n,
      cacheWriteTokens: 300n,
      outputTokens: 100n,
      reasoningTokens: 60n,
    };
    // 100 x 1 + 600 x 0.1 + 300 x 2 + 40 x 10 + 60 x 4 = 1,400 millionths of a USD; a millionth is half a quota.
    expect(cost(units, price, 1n)).toBe(700n);
  });
});

describe("prices for long prompts", () => {
  const long = {
    ...{ above_tokens: 100_000, input_usd_per_m: "0.5", output_usd_per_m: "2.5", cache_read_usd_per_m: null },
    ...{ cache_write_usd_per_m: "0.625", reasoning_usd_per_m: null, cache_write_1h_usd_per_m: null },
  };
  const short = { ...free, input_usd_per_m: "0.1", output_usd_per_m: "0.5", cache_read_usd_per_m: "0.01" };
  const price = toPriceVersion({ ...short, long_prompt: long });

  test("apply to the whole call once its prompt is longer, and to no shorter one", () => {
    const units = { ...nothing, cacheReadTokens: 40_000n, cacheWriteTokens: 10_000n, outputTokens: 2_000n };
    // 50,000 x 0.1 + 40,000 x 0.01 + 10,000 x 0.1 + 2,000 x 0.5 = 7,400 millionths.
    expect(cost({ ...units, inputTokens: 100_000n }, price, 1n)).toBe(3_700n);
    // 50,001 x 0.5 + 40,000 x 0.5 + 10,000 x 0.625 + 2,000 x 2.5 = 56,250.5 millionths.
    expect(cost({ ...units, inputTokens: 100_001n }, price, 1n)).toBe(28_126n);
  });

  test("are set aside for calls that may have a long prompt, and for no others", () => {
    const held = (inputTokens: bigint) => cost({ ...nothing, inputTokens, outputTokens: 1_000n }, price.highest, 1n);
    expect(held(100_000n)).toBe(5_250n);
    expect(held(100_001n)).toBe(32_501n);
    const cheaper = toPriceVersion({ ...short, long_prompt: { ...long, output_usd_per_m: "0.1" } });
    expect(cheaper.highest.long?.prices.output).toBe(price.output);
  });
});

describe("the most that a user may owe for a cost", () => {
  test.each([
    [50n, "1.1000", 55n],
    [90n, "1.1000", 99n],
    [100n, "1.1000", 110n],
    [1n, "1.0001", 2n],
    [7n, "1.0000", 7n],
    [100n, "0.5000", 100n],
    [0n, "9.0000", 0n],
  ])("of %p at %p is %p: a multiplier below 1 is only refunded later", (base, multiplier, owed) => {
    for (const given of [base, toAmount(base)]) {
      expect(BigInt(withMultiplierAboveOne(given, multiplier as Decimal))).toBe(owed);
    }
  });

  test(
    "are the same of numbers as of bigints, and rounded up",
    () => {
      const multipliers = fc.tuple(fc.nat(99), fc.nat(9_999)).map(([whole, part]) => {
        return `${whole}.${String(part).padStart(4, "0")}` as Decimal;
      });
      const bases = fc.oneof(
        fc.bigInt({ min: 0n, max: 10_000_000n }),
        fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
      );
      fc.assert(
        fc.property(bases, multipliers, (base, multiplier) => {
          const scaled = BigInt(multiplier.replace(".", ""));
          const product = (base * scaled + 9_999n) / 10_000n;
          for (const given of [base, toAmount(base)]) {
            expect(BigInt(withMultiplier(given, multiplier))).toBe(product);
            expect(BigInt(withMultiplierAboveOne(given, multiplier))).toBe(product > base ? product : base);
          }
        }),
        { numRuns: Math.min(numRuns * 5, 100_000) },
      );
    },
    timeoutMs,
  );
});
