import { expect, test } from "bun:test";
import { readChatUsage } from "@sluice/control-plane/gateway/usage-count/readers/chat-usage.ts";
import type { Json } from "@sluice/control-plane/gateway/usage-count/units.ts";
import { toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";

const numRuns = process.env["TEST_FULL"] === "1" ? 100_000 : 1_000;

/** Up to here the sum of a few counts is exact; what is above is cut to what a call can have. */
const exactMax = 2 ** 50;
const counted = fc.oneof(fc.nat(50), fc.constantFrom(0, exactMax, -1, 0.5, null, "7", Number.MAX_VALUE));
const maybe = { requiredKeys: [] };
const details = fc.oneof(
  fc.constantFrom(null, 5, "text"),
  fc.record(
    {
      cached_tokens: counted,
      cache_write_tokens: counted,
      cache_creation_tokens: counted,
      cache_creation_input_tokens: counted,
      reasoning_tokens: counted,
    },
    maybe,
  ),
);
const reports = fc.record(
  {
    prompt_tokens: counted,
    completion_tokens: counted,
    input_tokens: counted,
    output_tokens: counted,
    total_tokens: counted,
    prompt_tokens_details: details,
    input_token_details: details,
    completion_tokens_details: details,
    output_tokens_details: details,
    reasoning_tokens: counted,
    citation_tokens: counted,
    num_search_queries: counted,
    prompt_cache_hit_tokens: counted,
    cached_tokens: counted,
    num_cached_tokens: counted,
    cache_creation_tokens: counted,
  },
  maybe,
);

const exact = (value: unknown): bigint => (Number.isSafeInteger(value) ? BigInt(Math.max(value as number, 0)) : 0n);
const first = (...values: readonly unknown[]): bigint => values.map(exact).find((value) => value > 0n) ?? 0n;
const least = (value: bigint, limit: bigint): bigint => (value < limit ? value : limit);
const detailsOf = (usage: Json, ...names: readonly string[]): Json => {
  const found = names.map((name) => usage[name]).find((value) => value !== undefined && value !== null);
  return typeof found === "object" ? (found as Json) : {};
};

/** The counts of a report by integers of any size. */
function exactUnits(usage: Json) {
  const read = detailsOf(usage, "prompt_tokens_details", "input_tokens_details", "input_token_details");
  const written = detailsOf(usage, "completion_tokens_details", "output_tokens_details", "output_token_details");
  const answer = exact(usage["completion_tokens"] ?? usage["output_tokens"]);
  const thoughts = first(written["reasoning_tokens"], usage["reasoning_tokens"]);
  const total = exact(usage["total_tokens"]);
  const isBeside =
    total === exact(usage["prompt_tokens"] ?? usage["input_tokens"]) + answer + thoughts ||
    (typeof usage["reasoning_tokens"] === "number" && typeof usage["num_search_queries"] === "number");
  const outputTokens = answer + (isBeside ? thoughts : 0n);
  const rest = total > outputTokens ? Number(total - outputTokens) : 0;
  const inputTokens = exact(usage["prompt_tokens"] ?? usage["input_tokens"] ?? rest) + exact(usage["citation_tokens"]);
  const names = ["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"].map((name) => usage[name]);
  const cacheReadTokens = least(first(read["cached_tokens"], ...names), inputTokens);
  const kept = first(
    ...["cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens"].map((name) => read[name]),
    usage["cache_creation_tokens"],
  );
  const cacheWriteTokens = least(kept, inputTokens - cacheReadTokens);
  return {
    inputTokens: toAmount(inputTokens),
    outputTokens: toAmount(outputTokens),
    cacheReadTokens: toAmount(cacheReadTokens),
    cacheWriteTokens: toAmount(cacheWriteTokens),
    reasoningTokens: toAmount(least(thoughts, outputTokens)),
  };
}

test("counts of a chat response are those that integers of any size give, whatever a provider sends", () => {
  fc.assert(
    fc.property(reports, (usage) => {
      const units = readChatUsage(usage);
      if (units !== null) {
        expect(units).toMatchObject(exactUnits(usage));
      }
    }),
    { numRuns },
  );
});
