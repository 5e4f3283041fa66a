import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { CatalogScene, canary, completion } from "../../support/admin/catalog-scene.ts";

let scene: CatalogScene;

beforeAll(async () => {
  scene = await CatalogScene.start();
});

afterAll(() => scene?.close());

describe("a channel", () => {
  test("is tested with one small call, which reports its duration and the token counts", async () => {
    const { channel_id } = await scene.addChannel("tested-channel");
    scene.upstream.answerNext = () => completion("some-model");
    const { body } = await scene.post("channel/test/", { channel_id, model: "some-model" });
    expect(body["test"]).toMatchObject({
      is_ok: true,
      http_status: 200,
      error: null,
      answered_model: "some-model-2031",
      text: "OK",
      input_tokens: 7,
    });
    expect(scene.upstream.seen.at(-1)).toMatchObject({
      path: "/v1/chat/completions",
      authorization: `Bearer ${canary}`,
      body: { model: "some-model" },
    });
    expect(await scene.audits("channel.test", String(channel_id))).toHaveLength(1);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("of several credentials is tested, and asked for its models, with one that its provider accepts, or the one chosen", async () => {
    const { channel_id } = await scene.addChannel("several-credentials");
    const added: number[] = [];
    for (const label of ["second", "third"]) {
      const { body } = await scene.post("channel/credential/save/", {
        channel_id,
        label,
        credential: `${label}-secret`,
      });
      added.push((body["credential"] as { credential_id: number }).credential_id);
    }
    await scene.rig.db.sql`
      update channel_credential set refused_at = now(), refused_reason = 'account_empty'
      where channel_id = ${channel_id} and secret_sealed is null`;
    await scene.rig.db.sql`update channel_credential set status = 'disabled' where id = ${added[0] ?? 0}`;
    scene.upstream.answerNext = () => completion("m");
    const { body } = await scene.post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({ is_ok: true, credential: "third" });
    expect(scene.upstream.seen.at(-1)?.authorization).toBe("Bearer third-secret");
    const chosen = await scene.post("channel/test/", { channel_id, model: "m", credential_id: added[0] });
    expect(chosen.body["test"]).toMatchObject({ credential: "second" });
    expect(scene.upstream.seen.at(-1)?.authorization).toBe("Bearer second-secret");
    const listedWith: (string | null)[] = [];
    scene.upstream.answerNext = (request) => {
      listedWith.push(request.headers.get("authorization"));
      return Response.json({ object: "list", data: [{ id: "m", object: "model" }] });
    };
    expect((await scene.post("channel/models/", { channel_id })).status).toBe(200);
    expect(listedWith).toEqual(["Bearer third-secret"]);
    const unknown = await scene.post("channel/test/", { channel_id, model: "m", credential_id: 999_999 });
    expect(unknown).toMatchObject({ status: 400, body: { error: { fields: { credential_id: expect.any(String) } } } });
    // None of them goes to a host that does not have it.
    const elsewhere = { channel_id, upstream: openaiUpstream("http://127.0.0.1:9/v1"), model: "m" };
    expect((await scene.post("channel/test/", { ...elsewhere, credential_id: added[0] })).status).toBe(400);
  });

  test.each([
    [
      "refuses the key and quotes it",
      () => Response.json({ error: { message: `bad key ${canary}` } }, { status: 401 }),
      401,
      "bad key",
    ],
    [
      "responds with a page",
      () => new Response("<p>no</p>", { headers: { "content-type": "text/html" } }),
      200,
      "no JSON",
    ],
    ["responds with something else", () => Response.json({ hello: 1 }), 200, "no result"],
    ["redirects us", () => Response.redirect("http://127.0.0.1:9/", 302), 302, "302"],
  ])("that %s is reported as such, without its key", async (_, answer, status, error) => {
    const { channel_id } = await scene.addChannel(`odd-channel-${status}-${error}`);
    scene.upstream.answerNext = answer;
    const { body } = await scene.post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({ is_ok: false, http_status: status, error: expect.stringContaining(error) });
    expect(JSON.stringify(body)).not.toContain("canary");
  });

  test("whose address nothing listens on is reported as such", async () => {
    const made = await scene.post("channel/save/", {
      name: "silent-channel",
      upstream: openaiUpstream("http://127.0.0.1:9/v1"),
    });
    const { channel_id } = made.body["channel"] as { channel_id: number };
    const { body } = await scene.post("channel/test/", { channel_id, model: "m" });
    expect(body["test"]).toMatchObject({
      is_ok: false,
      http_status: null,
      error: expect.stringContaining("unreachable"),
    });
  });
});
