import { describe, expect, test } from "bun:test";
import { boundCost, boundUnits } from "@sluice/control-plane/gateway/admit/reserve-quota.ts";
import type { ModelEntry, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { costOf } from "@sluice/control-plane/models/cost.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { type Amount, minus, toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";
import { prices } from "../../../support/calls/priced-usage.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 100_000 : 1_000;
const timeoutMs = 300_000;

const requestBounds: fc.Arbitrary<RequestBounds> = fc.record({
  inputTokensMax: fc.option(fc.nat(1_000_000), { nil: null }),
  isOneContext: fc.boolean(),
  inputImages: fc.nat(20),
  inputPages: fc.nat(20),
  searches: fc.nat(20),
  fileLetters: fc.option(fc.nat(1_000), { nil: null }),
  outputTokensMax: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: null }),
  choices: fc.integer({ min: 1, max: 128 }),
  outputImages: fc.nat(128),
  audioMs: fc.nat(100_000_000),
  characters: fc.nat(1_000),
});
const requests = requestBounds.map((bounds) => ({ bounds }));

const models = fc.record({
  contextTokensMax: fc.integer({ min: 1, max: 2_000_000 }),
  outputTokensMax: fc.integer({ min: 1, max: 100_000 }),
  imageTokensMax: fc.nat(50_000),
  price: prices.map(toPriceVersion),
});

const entry = (fields: Pick<ModelEntry, "contextTokensMax" | "outputTokensMax" | "imageTokensMax" | "price">) => ({
  name: "any",
  ownedBy: "test",
  kind: "chat" as const,
  createdAt: 0,
  deprecatedAtMs: null,
  sunsetAtMs: null,
  replacement: null,
  lifeHeaders: null,
  ...fields,
});

test(
  "no usage within the bound costs more than what is set aside, however it is spread over the lines",
  () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const part = (whole: Amount, of: number): Amount =>
      toAmount((BigInt(whole) * BigInt(Math.round(of * 1e9))) / 1_000_000_000n);
    const property = fc.property(
      requests,
      models,
      fc.tuple(share, share, share, share, share, share),
      (request, model, shares) => {
        const bound = boundUnits(request, entry(model));
        const inputTokens = part(bound.inputTokens, shares[0]);
        const outputTokens = part(bound.outputTokens, shares[1]);
        const cacheReadTokens = part(inputTokens, shares[2]);
        const cost = costOf(
          {
            ...noUnits,
            inputTokens,
            outputTokens,
            cacheReadTokens,
            cacheWriteTokens: part(minus(inputTokens, cacheReadTokens), shares[3]),
            cacheWrite1hTokens: part(minus(inputTokens, cacheReadTokens), 1 - shares[3]),
            reasoningTokens: part(outputTokens, shares[4]),
            searches: request.bounds.searches ?? 0,
            images: request.bounds.outputImages,
            audioMs: part(bound.audioMs, shares[5]),
          },
          model.price,
          1,
        );
        expect(cost).toBeLessThanOrEqual(boundCost(bound, entry(model)));
      },
    );
    fc.assert(property, { numRuns });
  },
  timeoutMs,
);

test(
  "the bound is reached: not more is set aside than a call can cost",
  () => {
    fc.assert(
      fc.property(requests, models, prices, (request, fields, texts) => {
        const parts = { cache_read_usd_per_m: "0", cache_write_usd_per_m: "0", cache_write_1h_usd_per_m: "0" };
        const free = { ...parts, reasoning_usd_per_m: "0", long_prompt: null };
        const model = entry({ ...fields, price: toPriceVersion({ ...texts, ...free }) });
        const units = boundUnits(request, model);
        expect(costOf(units, model.price, 1)).toBe(boundCost(units, model));
      }),
      { numRuns },
    );
  },
  timeoutMs,
);

test("input that the provider stores is bounded by the context of the model, read again after each search", () => {
  fc.assert(
    fc.property(requests, models, (request, fields) => {
      const model = entry(fields);
      const bound = boundUnits({ bounds: { ...request.bounds, inputTokensMax: null } }, model);
      expect(bound.inputTokens).toBe(model.contextTokensMax * (1 + (request.bounds.searches ?? 0)));
    }),
    { numRuns: 100 },
  );
});

describe("what is set aside", () => {
  const rates = {
    ...{ version: 1, input_usd_per_m: "1", output_usd_per_m: "1", reasoning_usd_per_m: null, long_prompt: null },
    ...{ cache_read_usd_per_m: null, cache_write_usd_per_m: null, cache_write_1h_usd_per_m: null },
    ...{ request_usd: "0", image_usd: "0", second_usd: "0", search_usd_per_k: "0" },
  };
  const small = entry({
    ...{ contextTokensMax: 10_000, outputTokensMax: 1_000, imageTokensMax: 700 },
    price: toPriceVersion(rates),
  });
  const bounds: RequestBounds = {
    ...{ inputTokensMax: 300, isOneContext: true, inputImages: 0, outputTokensMax: null, choices: 1 },
    ...{ outputImages: 0, audioMs: 0, characters: 0, inputPages: 0, fileLetters: 0 },
  };

  test.each([
    ["the most that the model can give, if the request sets no limit", {}, 300, 1_000],
    ["what was requested, if that is less", { outputTokensMax: 20 }, 300, 20],
    ["no more than the model can give", { outputTokensMax: 5_000 }, 300, 1_000],
    ["that much for each requested response", { outputTokensMax: 20, choices: 3 }, 300, 60],
    ["the largest image of the model for each image", { inputImages: 2 }, 1_700, 1_000],
    ["no more input than one context takes", { inputTokensMax: 90_000 }, 10_000, 1_000],
    ["more if each text has its own context", { inputTokensMax: 90_000, isOneContext: false }, 90_000, 1_000],
  ])("is %s", (_rule, asked, inputTokens, outputTokens) => {
    expect(boundUnits({ bounds: { ...bounds, ...asked } }, small)).toMatchObject({ inputTokens, outputTokens });
  });

  test.each([
    ["3", 1_500],
    ["0.5", 500],
  ])("has the price of reasoning if that is higher (%s USD for a million tokens)", (reasoning, quota) => {
    const price = toPriceVersion({ ...rates, reasoning_usd_per_m: reasoning });
    expect(boundCost({ ...noUnits, outputTokens: 1_000 }, { ...small, price })).toBe(quota);
  });
});
