import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { CatalogScene, canary, completion } from "../../support/admin/catalog-scene.ts";
import { patienceMs } from "../../support/values/patience.ts";

let scene: CatalogScene;

beforeAll(async () => {
  scene = await CatalogScene.start();
});

afterAll(() => scene?.close());

describe("a channel", () => {
  test("is created disabled, serves calls once it is enabled and has an ability, and stops when it is disabled", async () => {
    const { channel_id } = await scene.addChannel("made-channel");
    await scene.rig.addModel("served-model");
    const user = await scene.rig.addUser();
    const ability = { group_name: "default", model: "served-model", channel_id };
    expect((await scene.post("ability/save/", ability)).status).toBe(200);
    scene.upstream.answerNext = () => completion("served-model");
    const call = async (): Promise<number> => {
      const answer = await fetch(`${scene.sluice.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${user.apiKey}` },
        body: JSON.stringify({ model: "served-model", max_tokens: 5, messages: [{ role: "user", content: "hi" }] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const until = async (isDone: (status: number) => boolean): Promise<void> => {
      const deadline = performance.now() + patienceMs;
      while (!isDone(await call())) {
        expect(performance.now()).toBeLessThan(deadline);
        await Bun.sleep(20);
      }
    };
    expect(await call()).not.toBe(200);
    expect((await scene.post("channel/enable/", { channel_ids: [channel_id] })).status).toBe(200);
    await until((status) => status === 200);
    expect((await scene.post("channel/disable/", { channel_ids: [channel_id], reason: "too dear" })).status).toBe(200);
    await until((status) => status !== 200);
    expect(await scene.audits("channel.disable", String(channel_id))).toMatchObject([
      { before: { status: "enabled" }, after: { status: "disabled" } },
    ]);
  });

  test.each([
    ["entra", JSON.stringify({ tenant_id: "t", client_id: "c", client_secret: "s" })],
    ["none", canary],
  ])(
    "asks for its credential when a host of the style %s would be shown it for the first time",
    async (auth, credential) => {
      const speaking = (style: string) => ({
        ...openaiUpstream(scene.address),
        dialects: { chat: { base_url: scene.address, auth: style } },
      });
      const made = await scene.post("channel/save/", { name: `styled-${auth}`, upstream: speaking(auth), credential });
      const { channel_id, updated_at } = made.body["channel"] as { channel_id: number; updated_at: string };
      const shown = await scene.post("channel/save/", { channel_id, updated_at, upstream: speaking("bearer") });
      expect(shown).toMatchObject({ status: 400, body: { error: { code: "secret_required" } } });
    },
  );

  test("hides its credential, and loses it when its host changes", async () => {
    const { channel_id, updated_at } = await scene.addChannel("moving-channel");
    const elsewhere = "http://127.0.0.1:9/v1";
    const moved = await scene.post("channel/save/", { channel_id, updated_at, upstream: openaiUpstream(elsewhere) });
    expect(moved).toMatchObject({ status: 400, body: { error: { code: "secret_required" } } });
    const deeper = await scene.post("channel/save/", {
      channel_id,
      updated_at,
      upstream: openaiUpstream(`${scene.address}/deeper`),
    });
    expect(deeper.status).toBe(200);
    const at = (deeper.body["channel"] as { updated_at: string }).updated_at;
    const again = await scene.post("channel/save/", {
      channel_id,
      updated_at: at,
      upstream: openaiUpstream(elsewhere),
      credential: `${canary}2`,
    });
    expect(again).toMatchObject({
      status: 200,
      body: { channel: { has_credential: true, upstream: openaiUpstream(elsewhere) } },
    });
    const stale = await scene.post("channel/save/", { channel_id, updated_at, name: "other" });
    expect(stale.status).toBe(409);
    const texts = [deeper.body, again.body, (await scene.get("channel/list/")).body].map((body) =>
      JSON.stringify(body),
    );
    const written = (await scene.audits("channel.save", String(channel_id))).map(({ text }) => text);
    expect([...texts, ...written, scene.sluice.log()].filter((text) => text.includes("canary"))).toEqual([]);
  });

  test("passes only paths of the closed list through, and names them", async () => {
    const base = { name: "passing", upstream: openaiUpstream("https://provider.example/v1") };
    for (const path of ["GET /v1/organization/users", "POST /v1/fine_tuning/jobs", "GET /v1/files/../models", "*"]) {
      const refused = await scene.post("channel/save/", { ...base, pass_through_paths: [path] });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_value" } } });
    }
    const paths = ["POST /v1/files", "GET /v1/files/{id}"];
    const made = await scene.post("channel/save/", { ...base, pass_through_paths: paths });
    const channel = made.body["channel"] as { channel_id: number; updated_at: string };
    expect(channel).toMatchObject({ pass_through_paths: paths });
    const { channel_id, updated_at } = channel;
    const renamed = await scene.post("channel/save/", { channel_id, updated_at, name: "passing on" });
    expect(renamed.body["channel"]).toMatchObject({ name: "passing on", pass_through_paths: paths });
    const listed = await scene.get(`channel/list/?channel_id=${channel_id}`);
    expect(listed.body).toMatchObject({ rows: [{ pass_through_paths: paths }] });
    const [written] = await scene.audits("channel.save", String(channel_id));
    expect(written?.after).toMatchObject({ pass_through_paths: paths });
  });

  test("with a taken name, or an invalid address, is refused", async () => {
    await scene.addChannel("taken-channel");
    const { channel_id, updated_at } = await scene.addChannel("other-channel");
    expect(
      (await scene.post("channel/save/", { name: "taken-channel", upstream: openaiUpstream(scene.address) })).status,
    ).toBe(409);
    const renamed = await scene.post("channel/save/", { channel_id, updated_at, name: "taken-channel" });
    expect(renamed).toMatchObject({ status: 409, body: { error: { fields: { name: expect.any(String) } } } });
    for (const base_url of [
      ...["ftp://a/v1", "http://u:p@a/v1", "https://a/v1?key=1", "not an address"],
      // The visible name is not the address.
      ...["https://exa\nmple.org/v1", "https://example.org\\@evil.example/v1", "http://127.0.0.1:0/v1"],
      // The metadata address of clouds, which has the credentials of the machine.
      ...["http://169.254.169.254/v1", "http://2852039166/v1", "http://[::ffff:a9fe:a9fe]/v1", "http://[fe80::1]/v1"],
      ...["http://[fd00:ec2::254]/v1", "http://100.100.100.200/v1", "http://0.0.0.0:5432/v1", "http://[ff02::1]/v1"],
    ]) {
      const refused = await scene.post("channel/save/", { name: "bad", upstream: openaiUpstream(base_url) });
      expect([base_url, refused.status]).toEqual([base_url, 400]);
    }
    const own = await scene.post("channel/save/", {
      name: "of-our-own",
      upstream: openaiUpstream("http://10.0.0.7:8000/v1"),
    });
    expect(own.status).toBe(200);
  });
});
