/** Vectors and counts of tokens in the form of the Gemini API. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, type SettledRow, waitForSettledRows } from "../support/usage/settled-rows.ts";

const models = ["embedder", "plain-embedder", "chatter"];

describe.each(arrangements)("the Gemini API, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, provider) => {
        for (const name of models) {
          await rig.addTokenPriceModel(name, { input_usd_per_m: "0.15", output_usd_per_m: "0.6" });
        }
        await rig.addChannel("google", provider.url, models);
        const upstream: UpstreamSettings = {
          ...openaiUpstream(provider.url),
          dialects: { gemini: { base_url: provider.url, auth: "x_goog_api_key" } },
        };
        await rig.db.sql`
          update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = 'google'`;
        await rig.db.sql`
          update ability set upstream_model = 'gemini-embedding-9' where model = 'embedder'`;
        await rig.db.sql`update ability set upstream_model = 'gemini-9' where model = 'chatter'`;
        await rig.db.sql`update model set kind = 'embedding' where name like '%embedder'`;
      },
    });
  });
  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
  afterAll(() => scene.close());

  const ask = async (path: string, body: unknown): Promise<Response> => {
    user = await scene.rig.addUser();
    return await fetch(`${scene.sluice.url}/v1beta/models/${path}`, {
      method: body === null ? "GET" : "POST",
      headers: { "x-goog-api-key": user.apiKey, "content-type": "application/json" },
      body: body === null || typeof body === "string" ? body : JSON.stringify(body),
    });
  };
  const row = async (): Promise<SettledRow | undefined> => {
    const [settled] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(settled?.quota).toBe(settled === undefined ? undefined : recomputedCost(settled));
    return settled;
  };
  const content = (text: string) => ({ parts: [{ text }] });

  test("keeps the bytes of a batch, but for the provider's name of the model in each request", async () => {
    const sent =
      '{ "requests":[{"model":"models/embedder","content":{"parts":[{"text":"a \\u0022]}, cat"}]}},\n' +
      ' {"content":{"parts":[{"text":"dogs"}]},"model" : "models/embedder", "outputDimensionality":8.0}] }';
    const answer = await ask("embedder:batchEmbedContents", sent);
    expect(answer.status).toBe(200);
    const { embeddings } = (await answer.json()) as { embeddings: { values: number[] }[] };
    expect(embeddings.map(({ values }) => values.length)).toEqual([3_072, 8]);
    const [seen] = scene.provider.requests;
    expect(seen?.target).toBe("/v1beta/models/gemini-embedding-9:batchEmbedContents");
    expect(seen?.body.toString()).toBe(sent.replaceAll("models/embedder", "models/gemini-embedding-9"));
    expect(await row()).toMatchObject({ usageSource: "provider", inputTokens: 4n });
  });

  test.each(["models/embedder", "embedder"])(
    "knows the model of the path when the body repeats it: %s",
    async (model) => {
      const sent = JSON.stringify({ model, content: content("cats") });
      const answer = await ask("embedder:embedContent", sent);
      expect(answer.status).toBe(200);
      const [seen] = scene.provider.requests;
      expect(seen?.body.toString()).toBe(sent.replace(model, "models/gemini-embedding-9"));
      expect(await row()).toMatchObject({ usageSource: "provider" });
    },
  );

  test("keeps the bytes of a single text", async () => {
    const sent = '{"content":{"parts":[{"text":"caf\\u00e9"}]},  "task_type":"RETRIEVAL_QUERY"}';
    const answer = await ask("plain-embedder:embedContent", sent);
    expect(answer.status).toBe(200);
    const [seen] = scene.provider.requests;
    expect([seen?.target, seen?.body.toString()]).toEqual(["/v1beta/models/plain-embedder:embedContent", sent]);
  });

  test("charges a fair count of its own where the provider reports none", async () => {
    scene.provider.script({ omitUsage: true });
    const requests = ["The quick brown fox jumps.", "鹿が走る"].map((text) => ({
      model: "models/embedder",
      content: content(text),
    }));
    await (await ask("embedder:batchEmbedContents", { requests })).text();
    // 21 letters and 4 spaces at four a token, a full stop, and 4 signs at one each.
    expect(await row()).toMatchObject({ usageSource: "estimated", inputTokens: 12n });
  });

  test("counts tokens for free, of contents and of whole requests", async () => {
    const contents = [{ role: "user", ...content("Hello there, world") }];
    const counted = await ask("chatter:countTokens", { contents });
    expect([counted.status, ((await counted.json()) as { totalTokens: number }).totalTokens]).toEqual([200, 5]);
    expect(await row()).toMatchObject({ quota: 0n, quotaHeld: 0n });
    const request = `{"generateContentRequest":{"contents":${JSON.stringify(contents)}, "model":"models/chatter"}}`;
    expect((await ask("chatter:countTokens", request)).status).toBe(200);
    const [, seen] = scene.provider.requests;
    expect(seen?.target).toBe("/v1beta/models/gemini-9:countTokens");
    expect(seen?.body.toString()).toBe(request.replace("models/chatter", "models/gemini-9"));
  });

  test("estimates a count that no channel can give", async () => {
    scene.provider.script({ status: 500 }, { times: "always" });
    const answer = await ask("chatter:countTokens", { contents: [content("Hello there, world")] });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { totalTokens: number }).totalTokens).toBeGreaterThan(2);
    expect(await row()).toMatchObject({ quota: 0n });
  });

  test.each([
    ["embedder:embedContent", { content: { parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }] } }],
    ["embedder:embedContent", { content: content("a"), model: "models/other" }],
    ["embedder:embedContent", { content: content("a"), autoTruncate: true }],
    ["embedder:embedContent", { model: "models/embedder" }],
    ["embedder:batchEmbedContents", { requests: [] }],
    ["embedder:batchEmbedContents", { requests: [{ content: content("a"), model: "models/chatter" }] }],
    ["embedder:batchEmbedContents", { requests: Array(1_001).fill({ content: content("a") }) }],
    ["chatter:countTokens", { generateContentRequest: { model: "models/other", contents: [content("a")] } }],
    ["chatter:countTokens", { contents: [{ parts: [{ fileData: { fileUri: "https://x.example" } }] }] }],
    ["chatter:countTokens", { contents: [], cachedContent: "x" }],
  ])("refuses at %s what has no price or another model: %j", async (path, body) => {
    const answer = await ask(path, body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { status: string } };
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(scene.provider.requests).toEqual([]);
  });

  test("says of each model how it is called", async () => {
    const listed = (await (await ask("", null).then(() => ask("embedder", null))).json()) as object;
    expect(listed).toMatchObject({
      name: "models/embedder",
      supportedGenerationMethods: ["embedContent", "countTokens"],
    });
    const chatter = (await (await ask("chatter", null)).json()) as object;
    expect(chatter).toMatchObject({ supportedGenerationMethods: ["generateContent", "countTokens"] });
  });
});
