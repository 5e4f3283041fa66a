import { describe, expect, test } from "bun:test";
import { toReceipt } from "@sluice/control-plane/usage/views/receipt.ts";
import type { PricedCall } from "@sluice/control-plane/usage/views/views-store.ts";

const prices = {
  ...{
    version: 3,
    input_usd_per_m: "2",
    output_usd_per_m: "8",
    cache_read_usd_per_m: "0.5",
    cache_write_usd_per_m: null,
    reasoning_usd_per_m: null,
  },
  ...{
    request_usd: "0.001",
    image_usd: "0",
    second_usd: "0",
    cache_write_1h_usd_per_m: null,
    search_usd_per_k: "0",
    long_prompt: null,
  },
};
const view = {
  ...{
    input_tokens: 1_000n,
    cache_read_tokens: 400n,
    cache_write_tokens: 0n,
    output_tokens: 50n,
    reasoning_tokens: 0n,
  },
  ...{
    images: 0,
    audio_ms: 0n,
    cache_write_1h_tokens: 0n,
    searches: 0,
    usage_source: "provider",
    cache_basis_points: null,
    quota: 1_400n,
    rate_multiplier: "1.5000",
  },
} as unknown as PricedCall["view"];
const attempt = (result: string, status: number | null) => ({
  ...{ channelId: "7", channel: "whom the operator buys from", startedAtMs: 1, durationMs: 2, status, result },
});
const receiptOf = (more: Partial<PricedCall["view"]>, attempts: PricedCall["attempts"] = []) =>
  toReceipt({ view: { ...view, ...more }, attempts, prices });

describe("a receipt", () => {
  test("has a line for each counted unit, which add up to the cost of the call", () => {
    const receipt = receiptOf({});
    const lines = receipt.lines.map(({ unit, count, amount_usd }) => [unit, count, Number(amount_usd)]);
    expect(lines).toEqual([
      ["input", 600n, 0.0012],
      ["cache_read", 400n, 0.0002],
      ["output", 50n, 0.0004],
      ["request", 1n, 0.001],
    ]);
    expect(Number(receipt.sum_usd)).toBe(0.0028);
    expect(receipt).toMatchObject({ recomputed_quota: 1_400n, price_version: 3 });
  });

  test("shows how the multiplier changes the cost, and by how much", () => {
    expect(receiptOf({})).toMatchObject({ settled_quota: 2_100n, quota_delta: 700n });
    expect(receiptOf({ rate_multiplier: "0.5000" })).toMatchObject({ settled_quota: 700n, quota_delta: -700n });
  });

  test("of a long prompt has the prices for long prompts, and says so", () => {
    const long = { ...prices, above_tokens: 999, input_usd_per_m: "4", cache_read_usd_per_m: null };
    const call = { view, attempts: [], prices: { ...prices, long_prompt: long } };
    const { lines, long_prompt_above: above, recomputed_quota: quota } = toReceipt(call);
    expect([above, quota]).toEqual([999, 2_700n]);
    expect(lines.map(({ price_usd: usd }) => usd)).toEqual(["4", "4", "8", "0.001"]);
    const atBound = { ...call, prices: { ...prices, long_prompt: { ...long, above_tokens: 1_000 } } };
    expect(toReceipt(atBound)).toMatchObject({ long_prompt_above: null, recomputed_quota: 1_400n });
  });

  test("of a response from the cache has the lines of its units, and costs their share, rounded up once", () => {
    // 0.0028 USD are 1,400 quota; 0.05 % of them 0.7.
    const receipt = receiptOf({ cache_basis_points: 5, quota: 1n });
    expect(receipt).toMatchObject({ recomputed_quota: 1n, settled_quota: 2n, cache_basis_points: 5 });
    expect(receipt.lines).toEqual(receiptOf({}).lines);
    expect(receiptOf({ cache_basis_points: 0, quota: 0n }).recomputed_quota).toBe(0n);
    expect(receiptOf({ cache_basis_points: 10_000 }).recomputed_quota).toBe(1_400n);
  });

  test("of a free call has no lines", () => {
    const free = receiptOf({ usage_source: "none", quota: 0n });
    expect(free).toMatchObject({ lines: [], recomputed_quota: 0n, settled_quota: 0n, quota_delta: 0n });
  });

  test("reveals no channel, and no problem with its credential", () => {
    const { attempts } = receiptOf({}, [attempt("credential_refused", 401), attempt("status_500", 500)]);
    expect(attempts).toEqual([
      { started_at_ms: 1, duration_ms: 2, status: null, result: "failed", model: null },
      { started_at_ms: 1, duration_ms: 2, status: 500, result: "status_500", model: null },
    ]);
  });
});
