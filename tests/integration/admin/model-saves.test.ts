import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listModelsForNewcomers } from "@sluice/control-plane/models/model-store.ts";
import { siteModel } from "@sluice/control-plane/models/site-model.ts";
import { CatalogScene } from "../../support/admin/catalog-scene.ts";

let scene: CatalogScene;

beforeAll(async () => {
  scene = await CatalogScene.start();
});

afterAll(() => scene?.close());

describe("a model", () => {
  const fields = { context_tokens_max: 1_000, output_tokens_max: 100, input_usd_per_m: "0.15", output_usd_per_m: 0.6 };

  test("is created with its first prices, and changed prices are a new version that leaves the first unchanged", async () => {
    const made = await scene.post("model/save/", { name: "made-model", ...fields });
    expect(made).toMatchObject({ status: 200, body: { model: { price_version: 1, input_usd_per_m: "0.15000000" } } });
    const { updated_at } = made.body["model"] as { updated_at: string };
    const renamed = await scene.post("model/save/", { name: "made-model", display_name: "Renamed", updated_at });
    expect(renamed.body["model"]).toMatchObject({ display_name: "Renamed", price_version: 1 });
    expect(renamed.body["model"]).toMatchObject({ kind: "chat" });
    const at = (renamed.body["model"] as { updated_at: string }).updated_at;
    const dearer = await scene.post("model/save/", {
      name: "made-model",
      kind: "image",
      input_usd_per_m: "0.30",
      updated_at: at,
    });
    expect(dearer.body["model"]).toMatchObject({ kind: "image", price_version: 2, output_usd_per_m: "0.60000000" });
    const prices = await scene.rig.db.sql<{ version: number; input_usd_per_m: string }>`
      select version, input_usd_per_m from model_price where model = 'made-model' order by version`;
    expect(prices.map(({ input_usd_per_m }) => input_usd_per_m)).toEqual(["0.15000000", "0.30000000"]);
    const written = await scene.audits("model.save", "made-model");
    expect(written.map(({ before }) => before?.["price_version"] ?? null)).toEqual([null, 1, 1]);
  });

  test("can do what its name says until an admin says it, and again afterwards", async () => {
    const shown = async () => (await listModelsForNewcomers(scene.rig.db)).map(siteModel);
    const capabilities = async () => (await shown()).find(({ name }) => name === "gpt-4o-of-ours")?.capabilities;
    const made = await scene.post("model/save/", { name: "gpt-4o-of-ours", ...fields });
    expect(made.body["model"]).toMatchObject({ capabilities: null });
    expect(await capabilities()).toEqual(["tools", "structured_output"]);
    const save = (change: object, at: typeof made) =>
      scene.post("model/save/", {
        name: "gpt-4o-of-ours",
        ...change,
        updated_at: (at.body["model"] as { updated_at: string }).updated_at,
      });
    const stated = await save({ capabilities: ["reasoning"], image_tokens_max: 9 }, made);
    expect(await capabilities()).toEqual(["vision", "reasoning"]);
    const kept = await save({ display_name: "Ours" }, stated);
    expect(kept.body["model"]).toMatchObject({ capabilities: ["reasoning"] });
    expect((await save({ capabilities: ["flying"] }, kept)).status).toBe(400);
    await save({ capabilities: null, image_tokens_max: 0 }, kept);
    expect(await capabilities()).toEqual(["tools", "structured_output"]);
  });

  test("has prices for long prompts as they were entered, until they are removed", async () => {
    const long = {
      above_tokens: 200_000,
      input_usd_per_m: "0.3",
      output_usd_per_m: "0.9",
      cache_read_usd_per_m: "0.03",
    };
    const none = { cache_write_usd_per_m: null, cache_write_1h_usd_per_m: null, reasoning_usd_per_m: null };
    const made = await scene.post("model/save/", { name: "long-model", ...fields, long_prompt: long });
    expect(made.body["model"]).toMatchObject({ price_version: 1, long_prompt: { ...long, ...none } });
    const save = (change: object, at: typeof made) =>
      scene.post("model/save/", {
        name: "long-model",
        ...change,
        updated_at: (at.body["model"] as { updated_at: string }).updated_at,
      });
    const same = await save({ long_prompt: { ...long, input_usd_per_m: "0.30" } }, made);
    expect(same.body["model"]).toMatchObject({ price_version: 1 });
    const kept = await save({ input_usd_per_m: "0.2" }, same);
    expect(kept.body["model"]).toMatchObject({ price_version: 2, long_prompt: long });
    const cut = await save({ long_prompt: { ...long, output_usd_per_m: undefined } }, kept);
    expect(cut.status).toBe(400);
    const removed = await save({ long_prompt: null }, kept);
    expect(removed.body["model"]).toMatchObject({ price_version: 3, long_prompt: null });
  });

  test("is not changed by someone who loaded an older version, nor created twice", async () => {
    const { body } = await scene.post("model/save/", { name: "raced-model", ...fields });
    const { updated_at } = body["model"] as { updated_at: string };
    const changes = [1, 2, 3].map((tokens) =>
      scene.post("model/save/", { name: "raced-model", output_tokens_max: tokens, updated_at }),
    );
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    expect((await scene.post("model/save/", { name: "raced-model", ...fields })).status).toBe(409);
  });

  test.each([
    ["a negative price", { input_usd_per_m: "-1" }],
    ["a price beyond eight places", { input_usd_per_m: "0.000000001" }],
    ["a price that is not a number", { output_usd_per_m: "NaN" }],
    ["an unknown kind", { kind: "video" }],
    ["no bounds", { context_tokens_max: undefined }],
    ["bounds of zero", { output_tokens_max: 0 }],
    ["a moment in no year", { deprecated_at: "0000-01-01T00:00:00Z" }],
  ])("is refused with %s", async (_, odd) => {
    expect((await scene.post("model/save/", { name: "odd-model", ...fields, ...odd })).status).toBe(400);
  });
});
