import { describe, expect, test } from "bun:test";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import {
  chooseModels,
  everything,
  isFalling,
  type ModelChoice,
  type ModelTrait,
  perThousand,
  readChoice,
  sortedBy,
  writeChoice,
} from "@sluice/web/src/site/islands/model-choice.ts";
import { modelPath, modelsWithPage } from "@sluice/web/src/site/pages/models/model-path.ts";

const base = {
  kind: "chat" as const,
  cache_read_usd_per_m: null,
  cache_write_usd_per_m: null,
  reasoning_usd_per_m: null,
  request_usd: "0",
  image_usd: "0",
  second_usd: "0",
  cache_write_1h_usd_per_m: null,
  search_usd_per_k: "0",
  long_prompt: null,
  takes_images: false,
  capabilities: [],
  output_tokens_max: 1,
  deprecated_at: null,
  sunset_at: null,
  replacement_model: null,
};

function model(name: string, owner: string, input: string, context: number): SiteModel {
  const prices = { input_usd_per_m: input, output_usd_per_m: input };
  return { ...base, ...prices, name, display_name: name.toUpperCase(), owned_by: owner, context_tokens_max: context };
}

const models = [
  model("b-large", "north", "10.5", 8),
  model("a-small", "south", "9.75", 32),
  model("c", "north", "0.1", 16),
];
const namesOf = (choice: Partial<typeof everything>): string[] =>
  chooseModels(models, { ...everything, ...choice }).map(({ name }) => name);

test("a model has a page if its name is a valid path, and no name leads elsewhere", () => {
  expect(["gpt-4o-mini", "anthropic/claude-3:beta", "a.b_c@1"].map(modelPath)).toEqual([
    "/models/gpt-4o-mini/",
    "/models/anthropic/claude-3:beta/",
    "/models/a.b_c@1/",
  ]);
  // Their files would replace the page of all models or of another model, and no page could be written any more.
  expect(["index.html", "index.html.br", "a/index.html"].map(modelPath)).toEqual([null, null, null]);
  expect(modelPath("my-index.html")).toBe("/models/my-index.html/");
  expect(["..", "a/../b", ".hidden", "a/", "/a", "a//b", "a%2fb", "a?b", "a#b", "<a>", "a\\b"].map(modelPath)).toEqual(
    Array.from({ length: 11 }, () => null),
  );
  const many = Array.from({ length: 300 }, (_, index) => model(`m-${index}`, "north", "1", 8));
  expect(modelsWithPage([model("..", "north", "1", 8), ...many]).length).toBe(200);
});

describe("models", () => {
  test("are sorted by names, by prices as numbers, and by the longest context", () => {
    expect(namesOf({})).toEqual(["a-small", "b-large", "c"]);
    expect(namesOf({ sort: "input" })).toEqual(["c", "a-small", "b-large"]);
    expect(namesOf({ sort: "context" })).toEqual(["a-small", "c", "b-large"]);
    expect(namesOf({ sort: "input", isReversed: true })).toEqual(["b-large", "a-small", "c"]);
  });

  test("turn the order around with a second press on the same head, and start with the usual one on another", () => {
    const first = { ...everything, ...sortedBy("input", everything) };
    const second = { ...first, ...sortedBy("input", first) };
    expect([first, second].map(isFalling)).toEqual([false, true]);
    expect(isFalling(sortedBy("context", second))).toBe(true);
  });

  test("without a measured figure come last in both orders", () => {
    const figures = {
      performance: { c: { first_byte_ms: 300, tokens_per_second: null } },
      success: { "b-large": 0.9, c: 0.99 },
    };
    const sorted = (choice: Partial<ModelChoice>) =>
      chooseModels(models, { ...everything, ...choice }, figures).map(({ name }) => name);
    expect(sorted({ sort: "success" })).toEqual(["c", "b-large", "a-small"]);
    expect(sorted({ sort: "success", isReversed: true })).toEqual(["b-large", "c", "a-small"]);
    expect(sorted({ sort: "first_byte" })).toEqual(["c", "a-small", "b-large"]);
  });

  test("are found by what they can do, and by their kind", () => {
    const [large, small, other] = models;
    const able = [
      { ...large, capabilities: ["tools", "vision"] },
      { ...small, kind: "embedding" },
      { ...other, capabilities: ["tools"] },
    ] as SiteModel[];
    const found = (trait: ModelTrait) => chooseModels(able, { ...everything, trait }).map(({ name }) => name);
    expect([found("tools"), found("vision"), found("embedding"), found("reasoning")]).toEqual([
      ["b-large", "c"],
      ["b-large"],
      ["a-small"],
      [],
    ]);
    expect(readChoice("?can=vision", able).trait).toBe("vision");
    expect(readChoice("?can=reasoning", able).trait).toBe("");
  });

  test("are found by every word of a search, in names and providers", () => {
    expect(namesOf({ search: " LARGE north" })).toEqual(["b-large"]);
    expect(namesOf({ search: "north" })).toEqual(["b-large", "c"]);
    expect(namesOf({ provider: "south", search: "c" })).toEqual([]);
  });

  test("cost exactly a thousandth for a thousand tokens", () => {
    expect(["0.15", "10", "0.000000000001"].map(perThousand)).toEqual(["0.00015", "0.01", "0.000000000000001"]);
  });
});

describe("the address of the page of models", () => {
  test("contains the selection, and reads the same again", () => {
    const choice = {
      search: "a & b",
      provider: "north",
      trait: "tools",
      sort: "output",
      isReversed: true,
      isPerThousand: true,
      compared: ["c"],
    } as const;
    const able = models.map((each): SiteModel => ({ ...each, capabilities: ["tools"] }));
    expect(readChoice(writeChoice(choice), able)).toEqual(choice);
    expect(writeChoice(everything)).toBe("");
  });

  test("with unknown values shows everything", () => {
    const query = "?provider=west&can=fly&sort=worst&order=x&unit=x&compare=none,c,c,c,c,c,c";
    expect(readChoice(query, models)).toEqual({ ...everything, compared: ["c"] });
  });
});
