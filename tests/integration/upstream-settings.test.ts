/** What a channel's settings change about the requests that it gets. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { addModelWithChannel, waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

describe.each(arrangements)("the settings of an upstream, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    messages.call(path, { method: "POST", body, headers });

  /** A model with a channel of its own that has these settings, once the process knows them. */
  async function addModel(name: string, settings: Partial<UpstreamSettings>, upstreamModel: string): Promise<void> {
    await messages.addModel(name);
    const model = `upstream-${name}`;
    const upstream = { ...openaiUpstream(`${messages.provider.url}/v1`), ...settings };
    await messages.rig.db.withTransaction(async (tx) => {
      await tx.sql`update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = ${`channel-${model}`}`;
      await tx.sql`update ability set upstream_model = ${upstreamModel} where model = ${model}`;
    });
    await waitUntil(async () => {
      await post("/v1/chat/completions", JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }));
      return messages.upstreamBody(messages.provider.requests.length - 1)["model"] === upstreamModel;
    });
    messages.provider.reset();
  }

  test("rename the model in the request, and change no other byte", async () => {
    await addModel("renamed", {}, "vendor/model-1");
    const body = '{"messages":[{"role":"user","content":"Hi \\u00e9"}],  "model":"upstream-renamed","top_p":1.0}';
    const answer = await post("/v1/chat/completions", body);
    expect(answer.status).toBe(200);
    expect(messages.provider.requests[0]?.body.toString()).toBe(body.replace("upstream-renamed", "vendor/model-1"));
    const usage = await messages.usageOf(answer);
    expect(usage.quota).toBeGreaterThan(0n);
    expect(await messages.rig.checkMoney()).toEqual([]);
  });

  test("add to query and headers, and set and remove fields", async () => {
    const settings: Partial<UpstreamSettings> = {
      query: { "api-version": "2024-10-21" },
      headers: { set: { "openai-project": "p1" }, remove: ["openai-beta"] },
      body: { set: { safety: { level: 1 } }, remove: ["user"] },
    };
    await addModel("changed", settings, "deployment");
    const body = JSON.stringify({
      model: "upstream-changed",
      user: "u",
      messages: [{ role: "user", content: "Hi" }],
    });
    await post("/v1/chat/completions?limit=2", body, { "openai-beta": "assistants=v2" });
    const [record] = messages.provider.requests;
    expect(record?.target).toBe("/v1/chat/completions?limit=2&api-version=2024-10-21");
    const headers = new Map(record?.headers);
    expect([headers.get("openai-project"), headers.has("openai-beta")]).toEqual(["p1", false]);
    expect(JSON.parse(record?.body.toString() ?? "")).toMatchObject({ safety: { level: 1 } });
    expect(JSON.parse(record?.body.toString() ?? "")).not.toHaveProperty("user");
  });

  test("request a token for a credential that is not sent itself, once for many calls", async () => {
    const tokens: string[] = [];
    const entra = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        tokens.push(await request.text());
        return Response.json({ access_token: "minted-token", expires_in: 3600 });
      },
    });
    try {
      const base_url = `${messages.provider.url}/v1`;
      const secret = { tenant_id: "t", client_id: "c", client_secret: "s3cret", authority: entra.url.origin };
      const model = "minted";
      await addModelWithChannel(messages.rig, model, base_url, JSON.stringify(secret));
      const upstream = { ...openaiUpstream(base_url), dialects: { chat: { base_url, auth: "entra" } } };
      await messages.rig.db.sql`
        update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = ${`channel-${model}`}`;
      const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] });
      await waitUntil(async () => {
        const answer = await post("/v1/chat/completions", body);
        return answer.ok && tokens.length > 0;
      });
      const answers = await Promise.all(Array.from({ length: 5 }, () => post("/v1/chat/completions", body)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(tokens).toHaveLength(1);
      const headers = new Map(messages.provider.requests.at(-1)?.headers);
      expect(headers.get("authorization")).toBe("Bearer minted-token");
      expect(
        JSON.stringify(messages.provider.requests.map((request) => request.headers.slice()).slice(-5)),
      ).not.toContain("s3cret");
    } finally {
      await entra.stop(true);
    }
  });
});
