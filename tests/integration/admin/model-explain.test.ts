import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { CatalogScene } from "../../support/admin/catalog-scene.ts";

let scene: CatalogScene;

beforeAll(async () => {
  scene = await CatalogScene.start();
});

afterAll(() => scene?.close());

describe("the route of a name", () => {
  test("names the channels that it can reach, with their share, and why the others are excluded", async () => {
    await scene.rig.addModel("asked-model");
    const channels: number[] = [];
    for (const [name, weight, priority] of [
      ["a", 3, 0],
      ["b", 1, 0],
      ["c", 1, 1],
      ["d", 9, 0],
    ] as const) {
      const made = await scene.post("channel/save/", {
        name: `way-${name}`,
        upstream: openaiUpstream("http://127.0.0.1:9/v1"),
        status: "enabled",
      });
      const { channel_id } = made.body["channel"] as { channel_id: number };
      channels.push(channel_id);
      await scene.post("ability/save/", { group_name: "default", model: "asked-model", channel_id, weight, priority });
    }
    await scene.post("channel/disable/", { channel_ids: [channels[3]] });
    const { body } = await scene.get("model/explain/?name=asked-model");
    expect(body["explanation"]).toMatchObject({
      outcome: "reachable",
      upstream_model: "asked-model",
      reachable_groups: ["default"],
      candidates: [
        { channel_name: "way-a", place: "first", share_percent: 75 },
        { channel_name: "way-b", place: "first", share_percent: 25 },
        { channel_name: "way-d", place: "never", share_percent: null, reasons: ["channel_disabled"] },
        { channel_name: "way-c", place: "fallback", share_percent: 100 },
      ],
    });
    expect((await scene.get("model/explain/?name=asked-model&group_name=other")).body["explanation"]).toMatchObject({
      outcome: "no_channel",
      reachable_groups: ["default"],
    });
  });

  test.each([
    ["name=no-such-model", "model_unknown"],
    ["name=no-such-name&route=messages", "name_not_mapped"],
  ])("%s is %s", async (query, outcome) => {
    expect((await scene.get(`model/explain/?${query}`)).body["explanation"]).toMatchObject({ outcome, candidates: [] });
  });

  test("of the model map is followed to its model", async () => {
    await scene.rig.db.sql`
      insert into messages_model (name, display_name, upstream_model, flags, released_at)
      values ('mapped-name', 'Mapped', 'gpt-4o-mini', '{}', now())`;
    expect((await scene.get("model/explain/?name=mapped-name&route=messages")).body["explanation"]).toMatchObject({
      outcome: "reachable",
      upstream_model: "gpt-4o-mini",
      candidates: [{ channel_name: "first", place: "first" }],
    });
    await scene.rig.db.sql`update messages_model set is_enabled = false where name = 'mapped-name'`;
    expect((await scene.get("model/explain/?name=mapped-name&route=messages")).body["explanation"]).toMatchObject({
      outcome: "mapping_disabled",
    });
  });
});
