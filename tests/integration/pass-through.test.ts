import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { NewPrice } from "@sluice/control-plane/gateway/prices/store.ts";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import OpenAI from "openai";
import { refusal } from "../support/openai-calls.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/relay-scene.ts";
import { waitForSettledRows } from "../support/settled-rows.ts";
import { arrangements, type TestUser } from "../support/sluice.ts";

const priced: Record<string, Partial<NewPrice>> = { "*": { requestUsd: "0.001" } };

describe.each(arrangements)("paths without rules of their own, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const [name, price] of Object.entries(priced)) {
          await rig.addTokenPriceModel(name, { inputUsdPerM: "0", outputUsdPerM: "0", ...price });
        }
      },
    });
  });

  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  afterAll(() => scene.close());

  /** A user of its own for one test, so that its rows are easy to tell. */
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
    script({ body: { id: "batch_1", object: "batch", errors: null } });
    expect(await client.batches.retrieve("batch_1")).toMatchObject({ id: "batch_1" });
    // 0.001 USD are 500 quota.
    expect((await rows(3)).map((row) => [row.model, row.quota, row.inputTokens])).toEqual([
      ["*", 500n, 0n],
      ["*", 500n, 0n],
      ["*", 500n, 0n],
    ]);
  });

  test("are none that are known here in other letters: a provider might answer those all the same", async () => {
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

  test("are not there for a group without a channel for them, and no upload is waited for", async () => {
    await begin();
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

  test("are not there for a key that may only use some models, nor can their price be named as a model", async () => {
    await begin();
    expect(
      await refusal(client.chat.completions.create({ model: "*", messages: [{ role: "user", content: "x" }] })),
    ).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
    await scene.rig.db.sql`
      update api_key set allowed_models = '{gpt-4o-mini}' where gateway_user_id = ${user.gatewayUserId}::bigint`;
    await waitUntil(async () => (await refusal(client.files.list())).code === "not_found");
    expect(await refusal(client.files.list())).toMatchObject({ status: 404, code: "not_found" });
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
