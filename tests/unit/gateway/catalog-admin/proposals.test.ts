import { describe, expect, test } from "bun:test";
import { findProvider } from "@pydantic/genai-prices";
import { saveModelInput } from "@sluice/contracts/catalog-admin";
import { providerPresets } from "@sluice/contracts/provider-presets";
import { kindOf } from "@sluice/control-plane/gateway/catalog-admin/proposals/model-facts.ts";
import {
  openPriceData,
  priceData,
  priceText,
} from "@sluice/control-plane/gateway/catalog-admin/proposals/price-data.ts";
import { proposeModels } from "@sluice/control-plane/gateway/catalog-admin/proposals/propose-models.ts";
import { named, readModelList } from "@sluice/control-plane/gateway/catalog-admin/proposals/read-model-list.ts";

const controlPlane = `${import.meta.dir}/../../../../control-plane`;

const list = (...ids: string[]) => ids.flatMap((id) => named(id) ?? []);
const noPrices = () => null;
const unknown = () => false;

describe("the list of a provider", () => {
  test.each([
    ["the OpenAI API", { object: "list", data: [{ id: "gpt-4o", owned_by: "openai" }] }, "gpt-4o"],
    [
      "the Messages API",
      { data: [{ id: "claude-opus-5", display_name: "Claude Opus 5" }], has_more: false },
      "claude-opus-5",
    ],
    ["the Gemini API", { models: [{ name: "models/gemini-2.5-pro", inputTokenLimit: 1_048_576 }] }, "gemini-2.5-pro"],
    ["a bare array", [{ id: "meta/llama", type: "chat" }], "meta/llama"],
    ["names alone", { data: ["one"] }, "one"],
  ])("is read as %s has it", (_, body, id) => {
    expect(readModelList(body)?.map((model) => model.id)).toEqual([id]);
  });

  test.each([[null], ["text"], [{}], [{ data: {} }], [{ error: { message: "no" } }]])("%j is not a list", (body) => {
    expect(readModelList(body)).toBeNull();
  });

  test("keeps what can be read of odd entries, each name once, and bounds their number", () => {
    const odd = [null, 1, {}, { id: "" }, { id: "with space" }, { id: "x".repeat(300) }, { id: "a" }, { id: "a" }];
    expect(readModelList({ data: odd })?.map(({ id }) => id)).toEqual(["a"]);
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `m${index}` }));
    expect(readModelList(many)).toHaveLength(2_000);
  });

  test("states limits and prices of one token as prices of a million, exactly", () => {
    const [model] =
      readModelList({
        data: [
          {
            id: "vendor/model",
            name: "Vendor: Model",
            context_length: 200_000,
            top_provider: { max_completion_tokens: 64_000 },
            pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003", request: "0" },
          },
        ],
      }) ?? [];
    expect(model).toMatchObject({
      displayName: "Vendor: Model",
      contextTokensMax: 200_000,
      outputTokensMax: 64_000,
      prices: { input_usd_per_m: "3", output_usd_per_m: "15", cache_read_usd_per_m: "0.3", request_usd: "0" },
    });
  });

  test("has no prices for a model whose price depends on the call", () => {
    const [model] = readModelList([{ id: "auto", pricing: { prompt: "-1", completion: "-1" } }]) ?? [];
    expect(model?.prices).toBeNull();
  });
});

describe("a proposal", () => {
  test("has the price of the provider, with the source and its day, and leaves unknown models without a price", async () => {
    const { models } = proposeModels(list("gpt-4o-mini", "house-model-1"), await openPriceData("openai"), unknown);
    const [known, own] = models;
    expect(known).toMatchObject({
      name: "gpt-4o-mini",
      kind: "chat",
      context_tokens_max: 128_000,
      output_tokens_max: 16_384,
      prices: { input_usd_per_m: "0.15", output_usd_per_m: "0.6", cache_read_usd_per_m: "0.075" },
      price_source: `List price of OpenAI, ${priceData.name} ${priceData.version} of ${priceData.date}`,
      are_limits_assumed: false,
    });
    expect(own).toMatchObject({ prices: null, price_source: null, price_notes: [], are_limits_assumed: true });
  });

  test("prefers the prices that the provider's own list states", async () => {
    const [listed] =
      readModelList([{ id: "gpt-4o-mini", pricing: { prompt: "0.000001", completion: "0.000002" } }]) ?? [];
    const { models } = proposeModels(listed === undefined ? [] : [listed], await openPriceData("openai"), unknown);
    expect(models[0]?.prices).toEqual({ input_usd_per_m: "1", output_usd_per_m: "2" });
    expect(models[0]?.price_source).toContain("own list");
  });

  test("says what the provider charges beyond the prices of the catalog", async () => {
    const { models } = proposeModels(list("gemini-2.5-pro"), await openPriceData("google"), unknown);
    expect(models[0]?.long_prompt).toMatchObject({
      above_tokens: 200_000,
      input_usd_per_m: "2.5",
      output_usd_per_m: "15",
      cache_read_usd_per_m: "0.25",
    });
    const pictures = proposeModels(list("gpt-image-1"), await openPriceData("openai"), unknown).models[0];
    expect(pictures).toMatchObject({ kind: "image", prices: { input_usd_per_m: "5", output_usd_per_m: "40" } });
    expect(pictures?.price_notes.join(" ")).toContain("image input");
  });

  test("has the price of a second for models that are paid by the hour of audio", async () => {
    const { models } = proposeModels(list("whisper-1"), await openPriceData("openai"), unknown);
    expect(models[0]).toMatchObject({ kind: "audio", prices: { second_usd: "0.0001", input_usd_per_m: "0" } });
  });

  test("drops the vendor from a name unless two models would then have the same", () => {
    const { models } = proposeModels(list("a/one", "a/two", "b/two", "accounts/x/models/three"), noPrices, unknown);
    expect(models.map(({ name, upstream_model }) => [name, upstream_model])).toEqual([
      ["a/two", "a/two"],
      ["b/two", "b/two"],
      ["one", "a/one"],
      ["three", "accounts/x/models/three"],
    ]);
  });

  test("leaves out models that no call can use", () => {
    const { models, leftOut } = proposeModels(list("sora-2", "gpt-4o"), noPrices, unknown);
    expect(models.map(({ name }) => name)).toEqual(["gpt-4o"]);
    expect(leftOut).toBe(1);
  });

  test("says which models the catalog has already", () => {
    const { models } = proposeModels(list("x/kept", "new"), noPrices, (name) => name === "kept");
    expect(models.map(({ name, is_in_catalog }) => [name, is_in_catalog])).toEqual([
      ["kept", true],
      ["new", false],
    ]);
  });

  test("of any model in the price data can be saved as it is", async () => {
    const sources = new Set(providerPresets.flatMap(({ priceSource }) => priceSource ?? []));
    let priced = 0;
    for (const source of sources) {
      const provider = findProvider({ providerId: source });
      expect(provider?.id, source).toBe(source);
      const ids = provider?.models.map(({ id }) => id) ?? [];
      for (const proposal of proposeModels(list(...ids), await openPriceData(source), unknown).models) {
        const { name, display_name, owned_by, kind, context_tokens_max, output_tokens_max, prices, long_prompt } =
          proposal;
        const limits = { context_tokens_max, output_tokens_max };
        const parsed = saveModelInput.safeParse({
          name,
          display_name,
          owned_by,
          kind,
          ...limits,
          ...prices,
          long_prompt,
        });
        expect(parsed.error?.message ?? null, `${source} ${name}`).toBeNull();
        priced += prices === null ? 0 : 1;
      }
    }
    expect(priced).toBeGreaterThan(500);
  });
});

describe("a price of the data", () => {
  test.each([
    [0.15, 1n, "0.15"],
    [0, 1n, "0"],
    [14, 1_000n, "0.014"],
    [0.36, 3_600n, "0.0001"],
    [0.111, 3_600n, "0.00003084"],
  ])("of %d per %d is %s: what does not divide evenly is rounded up", (value, divisor, text) => {
    expect(priceText(value, divisor)).toBe(text);
  });

  test("is dated by the version that is declared", async () => {
    const manifest = (await Bun.file(`${controlPlane}/package.json`).json()) as {
      dependencies: Record<string, string>;
    };
    expect(manifest.dependencies[priceData.name]).toBe(priceData.version);
  });
});

describe("the kind of a model", () => {
  test.each([
    ["gpt-4o", "chat"],
    ["gpt-4o-audio-preview", "chat"],
    ["text-embedding-3-small", "embedding"],
    ["BAAI/bge-m3", "embedding"],
    ["gpt-image-1", "image"],
    ["black-forest-labs/FLUX.1-schnell", "image"],
    ["gpt-4o-mini-tts", "audio"],
    ["whisper-large-v3-turbo", "audio"],
    ["gpt-4o-mini-realtime-preview", "realtime"],
    ["rerank-v3.5", "rerank"],
    ["omni-moderation-latest", "moderation"],
    ["veo-3.0-generate", null],
  ] as const)("%s follows from its name: %s", (id, kind) => {
    expect(kindOf(id, null)).toBe(kind);
  });

  test("is what the provider says it is", () => {
    expect(kindOf("some/model", "image")).toBe("image");
    expect(kindOf("some/model", "video")).toBeNull();
    expect(kindOf("text-embedding-x", "a word nobody knows")).toBe("embedding");
  });
});
