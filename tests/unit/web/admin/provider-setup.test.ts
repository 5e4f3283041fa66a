import { describe, expect, test } from "bun:test";
import { composePreset } from "@sluice/contracts/compose-preset";
import { providerPresets } from "@sluice/contracts/provider-presets";
import { upstreamSettings } from "@sluice/contracts/upstreams";
import {
  keepsItsPrices,
  missing,
  rowProblems,
  toAdopted,
  toRow,
} from "@sluice/web/src/admin/pages/provider/chosen-models.ts";
import { settingsProblems, toSettings, toValues } from "@sluice/web/src/admin/pages/upstreams/settings-values.ts";

const values = { resource: "r", region: "eu-west-1", project: "p", server: "http://localhost:8000" };

const proposal = {
  upstream_model: "vendor/model",
  name: "model",
  display_name: "Model",
  owned_by: "vendor",
  kind: "chat",
  context_tokens_max: 200_000,
  output_tokens_max: 64_000,
  image_tokens_max: 0,
  are_limits_assumed: false,
  prices: { input_usd_per_m: "3", output_usd_per_m: "15" },
  long_prompt: null,
  price_source: "a list",
  price_notes: [],
  is_in_catalog: false,
} as unknown as Parameters<typeof toRow>[0];

describe("the settings of an upstream in a form", () => {
  test.each([...providerPresets])("of $id are the same after nobody changed anything", (preset) => {
    const settings = upstreamSettings.parse(composePreset(preset, values));
    expect(upstreamSettings.parse(toSettings(toValues(settings), settings))).toEqual(settings);
  });

  test("keep every query parameter, header, field and flag", () => {
    const settings = upstreamSettings.parse({
      dialects: { chat: { base_url: "https://a.example/v1", auth: "api_key" } },
      query: { "api-version": "2026-10-01", filter: "a=b" },
      headers: { set: { "x-team": "one: two" }, remove: ["x-trace"] },
      body: { set: { user: "sluice", nested: { deep: [1, null] } }, remove: ["seed", "user"] },
      flags: {
        asks_usage: false,
        token_param: "max_completion_tokens",
        developer_role: true,
        betas: ["one-1", "two-2"],
      },
    });
    expect(upstreamSettings.parse(toSettings(toValues(settings), settings))).toEqual(settings);
  });

  test("tell no beta features from all of them", () => {
    for (const betas of [null, []]) {
      const settings = upstreamSettings.parse({
        dialects: { chat: { base_url: "https://a.example/v1" } },
        flags: { betas },
      });
      expect(toSettings(toValues(settings), settings).flags?.betas).toEqual(betas);
    }
  });

  test.each([
    ["upstream.query", "no pair"],
    ["upstream.headers.set", "no pair"],
    ["upstream.body.set", "{"],
    ["upstream.body.set", "[1]"],
  ] as const)("say at %s that %j can't be read", (field, text) => {
    expect(Object.keys(settingsProblems({ ...toValues(null), [field]: text }))).toEqual([field]);
  });
});

describe("a chosen model", () => {
  test("goes into the catalog with what the form shows, under both of its names", () => {
    expect(toAdopted(toRow(proposal), "default")).toMatchObject({
      model: "model",
      upstream_model: "vendor/model",
      group_name: "default",
      new_model: { kind: "chat", input_usd_per_m: "3", output_usd_per_m: "15", cache_read_usd_per_m: null },
    });
  });

  test("that the catalog has brings no prices, unless it gets another name", () => {
    const row = toRow({ ...proposal, is_in_catalog: true });
    expect(toAdopted(row, "default")).not.toHaveProperty("new_model");
    const renamed = { ...row, fields: { ...row.fields, name: "other" } };
    expect(keepsItsPrices(renamed)).toBe(false);
    expect(toAdopted(renamed, "default")).toMatchObject({ model: "other", new_model: { output_usd_per_m: "15" } });
  });

  test("has the proposed prices for long prompts only with the proposed prices", () => {
    const long = { above_tokens: 200_000, input_usd_per_m: "6", output_usd_per_m: "22.5" };
    const row = toRow({ ...proposal, long_prompt: long } as unknown as typeof proposal);
    expect(toAdopted(row, "default").new_model?.long_prompt).toEqual(long as never);
    const dearer = { ...row, fields: { ...row.fields, input_usd_per_m: "4" } };
    expect(toAdopted(dearer, "default").new_model?.long_prompt).toBeNull();
  });

  test("without known prices lacks those of input and output", () => {
    expect(Object.keys(missing(toRow({ ...proposal, prices: null })))).toEqual(["input_usd_per_m", "output_usd_per_m"]);
  });

  test("gets the errors of its fields by its place", () => {
    const found = rowProblems({
      "models.1.new_model.output_usd_per_m": "too much",
      "models.0.model": "twice",
      "models.2.new_model": "not there",
      credential: "elsewhere",
    });
    expect([...found]).toEqual([
      [1, { output_usd_per_m: "too much" }],
      [0, { name: "twice" }],
      [2, { "": "not there" }],
    ]);
  });
});
