import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "@sluice/contracts/upstreams";
import type { ParsedRequest, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { measureAnswer, measureStream, StreamMeter } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import type { AnsweredCall, Measured, StreamedResponse } from "@sluice/control-plane/gateway/usage-count/model.ts";
import { costOf } from "@sluice/control-plane/models/cost.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { noUnits, type Units } from "@sluice/control-plane/models/units.ts";
import { operationOf } from "../../../support/calls/operations.ts";
import { type CountedUnits, exactCost, type PriceTexts } from "../../../support/calls/priced-usage.ts";

/**
 * One answer of a provider in its own words, and what has to be charged for it. Both follow from what the provider
 * documents about its counts and its bill; no code of the product computed any of it.
 */
type ProviderAnswer = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly operation?: "embeddings" | "rerank" | "cohere_rerank";
  readonly end: "whole" | StreamedResponse["end"];
  /** The body of a complete response, or the payloads of the events of a stream. */
  readonly payload: unknown;
  readonly source: Measured["usageSource"];
  /** The counts that are not zero; the input and the output include their parts. */
  readonly units: {
    readonly input?: number;
    readonly read?: number;
    readonly write?: number;
    readonly hour?: number;
    readonly output?: number;
    readonly thought?: number;
    readonly searches?: number;
  };
  readonly provider_cost?: string;
  readonly price: keyof typeof prices;
  readonly quota: number;
};

const tokens = {
  ...{ cache_read_usd_per_m: null, cache_write_usd_per_m: null, cache_write_1h_usd_per_m: null },
  reasoning_usd_per_m: null,
};
const others = { request_usd: "0", image_usd: "0", second_usd: "0", search_usd_per_k: "0", long_prompt: null };
const plain = { ...tokens, ...others, version: 1, input_usd_per_m: "0.6", output_usd_per_m: "2.2" };
const haiku = {
  ...{ input_usd_per_m: "0.1", output_usd_per_m: "0.5", cache_read_usd_per_m: "0.01" },
  ...{ cache_write_usd_per_m: "0.125", cache_write_1h_usd_per_m: "0.2" },
};
const prices = {
  plain,
  gpt: {
    ...plain,
    ...{ input_usd_per_m: "1.25", output_usd_per_m: "10" },
    ...{ cache_read_usd_per_m: "0.125", cache_write_usd_per_m: "1.5625" },
  },
  claude: {
    ...plain,
    ...{ input_usd_per_m: "5", output_usd_per_m: "25", cache_read_usd_per_m: "0.5" },
    ...{ cache_write_usd_per_m: "6.25", cache_write_1h_usd_per_m: "10", search_usd_per_k: "10" },
  },
  haiku: {
    ...plain,
    ...haiku,
    search_usd_per_k: "10",
    long_prompt: {
      ...{ above_tokens: 100_000, input_usd_per_m: "0.5", output_usd_per_m: "2.5", cache_read_usd_per_m: "0.05" },
      ...{ cache_write_usd_per_m: "0.625", cache_write_1h_usd_per_m: "1", reasoning_usd_per_m: null },
    },
  },
  rank: { ...plain, input_usd_per_m: "0", output_usd_per_m: "0", search_usd_per_k: "2" },
  sonar: {
    ...plain,
    ...{ input_usd_per_m: "2", output_usd_per_m: "8", reasoning_usd_per_m: "3" },
    ...{ search_usd_per_k: "5", request_usd: "0.005" },
  },
  pro: {
    ...plain,
    ...{ input_usd_per_m: "1.25", output_usd_per_m: "10", cache_read_usd_per_m: "0.125" },
    long_prompt: {
      ...tokens,
      ...{ above_tokens: 200_000, input_usd_per_m: "2.5", output_usd_per_m: "15", cache_read_usd_per_m: "0.25" },
    },
  },
} satisfies Record<string, PriceTexts>;

const bounds: RequestBounds = {
  ...{ inputTokensMax: 400, isOneContext: true, inputImages: 0, outputTokensMax: null, choices: 1 },
  ...{ outputImages: 0, audioMs: 0, characters: 0, inputPages: 0, fileLetters: 0 },
};
const body = Buffer.from("{}");
const request: ParsedRequest = {
  ...{
    model: "m",
    isStream: true,
    wantsUsage: false,
    bounds,
    body,
    inputBytes: body.length,
    modelPlace: null,
    cacheKey: null,
  },
  ...{ contentType: null, pictureOption: null, plainBody: null, dropped: null },
};
const most: Units = { ...noUnits, inputTokens: 2_000_000, outputTokens: 500_000, searches: 100 };
const resultLists = {
  chat: "choices",
  responses: "output",
  messages: "content",
  gemini: "candidates",
  cohere: "results",
} as const;

const answers = Object.keys(resultLists).flatMap((dialect) =>
  readFileSync(join(import.meta.dir, `provider-answers/${dialect}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ProviderAnswer),
);

function measure({ dialect, operation: name, end, payload, price: list }: ProviderAnswer): Measured {
  const operation =
    name === undefined ? { ...operationOf("chat"), dialect, resultList: resultLists[dialect] } : operationOf(name);
  const isSet = (text: string): number => (text === "0" ? 0 : 1);
  const { input_usd_per_m: input, search_usd_per_k: search } = prices[list];
  const price = { input: isSet(input), output: 1, image: 0, audio: 0, search: isSet(search) };
  const call: AnsweredCall = { operation, request, limits: { held: most, most }, price };
  if (end === "whole") {
    const { form: _, ...measured } = measureAnswer(Buffer.from(JSON.stringify(payload)), call);
    return measured;
  }
  const meter = new StreamMeter({ tick: () => 0 }, dialect);
  for (const event of payload as Record<string, unknown>[]) {
    meter.add(event, true);
  }
  return measureStream({ ...call, ...meter.heard, end, pieces: [], bytesSent: 100 });
}

function unitsOf({ units }: ProviderAnswer): CountedUnits {
  const { input = 0, output = 0, read = 0, write = 0, hour = 0, thought = 0, searches = 0 } = units;
  return {
    ...{ images: 0, audioMs: 0n },
    ...{ inputTokens: BigInt(input), outputTokens: BigInt(output), reasoningTokens: BigInt(thought), searches },
    ...{ cacheReadTokens: BigInt(read), cacheWriteTokens: BigInt(write), cacheWrite1hTokens: BigInt(hour) },
  };
}

describe("what a provider bills for is counted in its own meaning, and priced:", () => {
  test.each(answers.map((answer) => [`${answer.name} (${answer.end})`, answer] as const))("%s", (_name, answer) => {
    const measured = measure(answer);
    expect(measured.usageSource).toBe(answer.source);
    const counted = Object.entries(unitsOf(answer)).map(([name, count]) => [name, Number(count)]);
    expect(measured.units).toMatchObject(Object.fromEntries(counted));
    expect<string | undefined>(measured.providerCost).toBe(answer.provider_cost);
    const price: PriceTexts = prices[answer.price];
    const cost = answer.source === "none" ? 0 : costOf(measured.units, toPriceVersion(price), 1);
    expect(BigInt(cost)).toBe(BigInt(answer.quota));
    expect(answer.source === "none" ? 0n : exactCost(unitsOf(answer), price)).toBe(BigInt(answer.quota));
  });
});

test("the table has at least 200 answers, whole and streamed in every dialect that streams", () => {
  expect(answers.length).toBeGreaterThanOrEqual(200);
  const kinds = new Set(answers.map(({ dialect, end }) => `${dialect} ${end === "whole" ? end : "stream"}`));
  // Ranks are never streamed.
  expect(kinds.size).toBe(2 * Object.keys(resultLists).length - 1);
});
