import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { listOfferedModels, listSoldModels, type NewPrice } from "@sluice/control-plane/models/model-store.ts";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import OpenAI from "openai";
import { refusal } from "../support/calls/openai-calls.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const priced: Record<string, Partial<NewPrice>> = { "*": { request_usd: "0.001" } };

describe.each(arrangements)("paths without rules of their own, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const [name, price] of Object.entries(priced)) {
          await rig.addTokenPriceModel(name, { input_usd_per_m: "0", output_usd_per_m: "0", ...price });
        }
        await rig.passThrough("first", [
          "POST /v1/files",
          "GET /v1/files/{id}",
          "GET /v1/files/{id}/content",
          "GET /v1/vector_stores/{id}",
        ]);
      },
    });
  });

  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  afterAll(() => scene.close());

  /** A separate user for one test, so that its rows are easy to identify. */
  const begin = async (quota?: bigint) => {
    user = await scene.rig.addUser(quota);
    client = new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey: user.apiKey, maxRetries: 0 });
  };

  const rows = async (count = 1) => {
    const settled = await waitForSettledRows(scene.rig.db, user.gatewayUserId, count);
    expect(settled).toHaveLength(count);
    return settled;
  };

  const script = (behaviour: Behaviour) => scene.provider.script(behaviour);

  test("are passed through unchanged, in both directions, for the price of a request", async () => {
    await begin();
    const stored = { id: "file-1", object: "file", bytes: 5, created_at: 1, filename: "a.jsonl", purpose: "batch" };
    script({ body: { ...stored, usage: { input_tokens: 1_000_000, output_tokens: 1_000_000 } } });
    const content = Buffer.from([0, 255, 13, 10, 45, 45, 128]);
    const form = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x\r\n'),
      Buffer.from('Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'),
      content,
      Buffer.from("\r\n--x--\r\n"),
    ]);
    const answer = await fetch(`${scene.sluice.url}/v1/files?after=1`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "multipart/form-data; boundary=x" },
      body: form,
    });
    expect(await answer.json()).toMatchObject(stored);
    const [record] = scene.provider.requests;
    expect([record?.target, record?.header("content-type")]).toEqual([
      "/v1/files?after=1",
      "multipart/form-data; boundary=x",
    ]);
    expect(record?.body.equals(form)).toBeTrue();
    script({
      raw: `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\n\x00\xff\r\n`,
    });
    const file = await client.files.content("file-1");
    expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from([0, 255, 13, 10]));
    script({ body: { id: "vs_1", object: "vector_store" } });
    expect(await client.vectorStores.retrieve("vs_1")).toMatchObject({ id: "vs_1" });
    // 0.001 USD are 500 quota.
    expect((await rows(3)).map((row) => [row.model, row.quota, row.inputTokens])).toEqual([
      ["*", 500n, 0n],
      ["*", 500n, 0n],
      ["*", 500n, 0n],
    ]);
  });

  test("include no case variant of a known path: a provider might accept those all the same", async () => {
    await begin();
    for (const path of ["/v1/Chat/completions", "/v1/RESPONSES", "/v1/Models/gpt-4o-mini"]) {
      const answer = await fetch(`${scene.sluice.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "x" }] }),
      });
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([path, answer.status, error.code]).toEqual([path, 404, "not_found"]);
    }
    expect(scene.provider.requests).toEqual([]);
  });

  test.each([
    ["a path that is not on the list of the channel", "GET", "/v1/vector_stores"],
    ["a method that is not on the list of the channel", "DELETE", "/v1/files/file-1"],
    ["another list of what the account holds", "GET", "/v1/files"],
    ["people and keys of the account", "GET", "/v1/organization/users"],
    ["new keys of the account", "POST", "/v1/organization/admin_api_keys"],
    ["models by another path", "POST", "/v1/engines/dear/completions"],
    ["models by a path of no dialect", "POST", "/v1/chat"],
    ["work that is charged later", "POST", "/v1/batches"],
    ["stored completions", "GET", "/v1/chat/completions/chatcmpl-1/messages"],
    ["responses made shorter by a model", "POST", "/v1/responses/compact"],
  ])("do not lead to %s", async (_what, method, path) => {
    await begin();
    const answer = await fetch(`${scene.sluice.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([404, 405]).toContain(answer.status);
    expect(["not_found", "method_not_allowed"]).toContain(error.code);
    expect(scene.provider.requests).toEqual([]);
  });

  test("have a price that no public page or list shows as a model", async () => {
    await begin();
    const listed = await Array.fromAsync(await client.models.list());
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(["gpt-4o-mini"]));
    expect(listed.map(({ id }) => id)).not.toContain("*");
    const [sold, offered] = [await listSoldModels(scene.rig.db), await listOfferedModels(scene.rig.db, "default")];
    for (const models of [sold, offered]) {
      expect(models.map(({ name }) => name)).toContain("gpt-4o-mini");
      expect(models.map(({ name }) => name)).not.toContain("*");
    }
  });

  test("do not exist for a group without a channel for them, and no upload is waited for", async () => {
    await begin();
    await scene.rig.db.sql`insert into user_group (name) values ('narrow')`;
    await scene.rig.db.sql`
      update gateway_user set group_name = 'narrow' where id = ${user.gatewayUserId}::bigint`;
    const answer = await fetch(`${scene.sluice.url}/v1/files`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/octet-stream" },
      body: "x",
    });
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([404, "not_found"]);
    expect(scene.provider.requests).toHaveLength(0);
  });

  test("do not exist for a key that may only use some models, nor can their price be named as a model", async () => {
    await begin();
    expect(
      await refusal(client.chat.completions.create({ model: "*", messages: [{ role: "user", content: "x" }] })),
    ).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
    await scene.rig.db.sql`
      update api_key set allowed_models = '{gpt-4o-mini}' where gateway_user_id = ${user.gatewayUserId}::bigint`;
    await waitUntil(async () => (await refusal(client.files.retrieve("file-1"))).code === "not_found");
    expect(await refusal(client.files.retrieve("file-1"))).toMatchObject({ status: 404, code: "not_found" });
  });

  test.each(["/realtime/client_secrets", "/realtime/sessions", "/realtime/calls"])(
    "%s is never passed through, because a provider's own key would come back",
    async (path) => {
      await begin();
      expect(await refusal(client.post(path, { body: {} }))).toMatchObject({ status: 404, code: "not_found" });
      expect(scene.provider.requests).toHaveLength(0);
    },
  );
});
