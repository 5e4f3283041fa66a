import { describe, expect, test } from "bun:test";
import { composePreset, placeProblems } from "@sluice/contracts/compose-preset";
import { findPreset, providerPresets } from "@sluice/contracts/provider-presets";
import { upstreamSettings } from "@sluice/contracts/upstreams";

const values = { resource: "my-resource", region: "eu-west-1", project: "my-project", server: "http://10.0.0.5:8000/" };

describe("the table of providers", () => {
  test("names each once, and covers the providers that most operators use", () => {
    const ids = providerPresets.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(providerPresets.map(({ name }) => name)).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(25);
  });

  test.each([...providerPresets])("$id composes settings that a channel can have", (preset) => {
    expect(placeProblems(preset, values)).toEqual({});
    const settings = upstreamSettings.parse(composePreset(preset, values));
    expect(settings.preset).toBe(preset.id);
    for (const [dialect, { base_url: address }] of Object.entries(settings.dialects)) {
      // Every place is filled, and an address can be called.
      expect(address).not.toMatch(/[{}]/);
      expect(URL.canParse(address), `${preset.id} ${dialect}`).toBe(true);
      expect(address).not.toMatch(/\/$/);
      // The paths of the dialect are appended to the address.
      expect(address).not.toMatch(dialect === "messages" ? /\/v1$/ : /\/(chat|responses)$/);
    }
  });

  test.each([...providerPresets])("$id asks for each place that its addresses have, and no other", (preset) => {
    const used = Object.values(preset.dialects).flatMap(({ base_url: address }) => address.match(/\{[a-z]+\}/g) ?? []);
    expect(new Set(used)).toEqual(new Set(preset.places.map(({ name }) => `{${name}}`)));
  });

  test.each([...providerPresets])("$id has its list of models at a dialect that it speaks", (preset) => {
    if (preset.modelList !== undefined && preset.modelList !== null) {
      expect(Object.keys(preset.dialects)).toContain(preset.modelList.dialect);
    }
  });

  test("is found by id, and a channel without one has none", () => {
    expect(findPreset("openai")?.name).toBe("OpenAI");
    expect(findPreset("nobody")).toBeNull();
    expect(findPreset(null)).toBeNull();
  });
});

describe("a place of an address", () => {
  const place = (id: string, entered: Record<string, string>) => {
    const preset = findPreset(id);
    return preset === null ? null : placeProblems(preset, entered);
  };

  test.each([
    ["bedrock", { region: "" }],
    ["bedrock", { region: "eu-west-1.evil.example/" }],
    ["azure-openai", { resource: "a.b" }],
    ["vllm", { server: "localhost:8000" }],
    ["vllm", { server: "http://user@host" }],
    ["vllm", { server: "http://host/path" }],
  ])("of %s refuses %j, which would lead elsewhere", (id, entered) => {
    expect(Object.keys(place(id, entered) ?? {})).toEqual(Object.keys(entered));
  });

  test("takes an IPv6 address and ignores white space", () => {
    expect(place("vllm", { server: " http://[::1]:8000 " })).toEqual({});
  });
});
