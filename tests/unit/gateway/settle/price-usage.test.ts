import { expect, test } from "bun:test";
import type { CallEnd, ModelEntry } from "@sluice/control-plane/gateway/model.ts";
import { priceUsage } from "@sluice/control-plane/gateway/settle/price-usage.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";

const price = toPriceVersion({
  version: 1,
  input_usd_per_m: "2",
  output_usd_per_m: "0",
  cache_read_usd_per_m: null,
  cache_write_usd_per_m: null,
  reasoning_usd_per_m: null,
  request_usd: "0.001",
  image_usd: "0",
  second_usd: "0",
  cache_write_1h_usd_per_m: null,
  search_usd_per_k: "0",
  long_prompt: null,
});
const model = { price } as ModelEntry;
const end = (more: Partial<CallEnd>): CallEnd => ({
  outcome: "completed",
  httpStatus: 200,
  errorCode: null,
  units: { ...noUnits, inputTokens: 1_000 },
  usageSource: "provider",
  ...more,
});

test("a call costs its units and the price of one request, a response from the cache its share of both", () => {
  expect(priceUsage(end({}), model)).toBe(1_000 + 500);
  expect(priceUsage(end({ cacheBasisPoints: 1_000 }), model)).toBe(150);
});

test("what was not delivered costs nothing, nor does a call without a model", () => {
  expect(priceUsage(end({ usageSource: "none" }), model)).toBe(0);
  expect(priceUsage(end({}), null)).toBe(0);
});
