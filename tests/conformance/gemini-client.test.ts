/** The official client of the Gemini API against the whole program. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { openaiUpstream, type UpstreamSettings } from "@sluice/contracts/upstreams";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";

const model = "gemini-3-flash";
const embedder = "gemini-embedding-2";

describe.each(["v1", "v1beta"])("the Gemini client, asking for %s", (apiVersion) => {
  let scene: RelayScene;
  let client: GoogleGenAI;

  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      prepare: async (rig, provider) => {
        for (const name of [model, embedder]) {
          await rig.addTokenPriceModel(name, { input_usd_per_m: "0.15", output_usd_per_m: "0.6" });
        }
        await rig.addChannel("google", provider.url, [model, embedder]);
        const upstream: UpstreamSettings = {
          ...openaiUpstream(provider.url),
          dialects: { gemini: { base_url: provider.url, auth: "x_goog_api_key" } },
        };
        await rig.db.sql`
          update channel set upstream = ${JSON.stringify(upstream)}::text::jsonb where name = 'google'`;
      },
    });
    client = new GoogleGenAI({
      apiKey: scene.user.apiKey,
      httpOptions: { baseUrl: scene.sluice.url, apiVersion, retryOptions: { attempts: 1 } },
    });
  });
  afterAll(() => scene.close());

  test("generates text, whole and streamed", async () => {
    const whole = await client.models.generateContent({ model, contents: "Say hello." });
    expect(whole.text ?? "").not.toBe("");
    expect(whole.usageMetadata?.promptTokenCount).toBeGreaterThan(0);
    let text = "";
    for await (const chunk of await client.models.generateContentStream({ model, contents: "Say hello." })) {
      text += chunk.text ?? "";
    }
    expect(text).toBe(whole.text ?? "");
  });

  test("calls functions and gives their results back", async () => {
    const declaration = {
      name: "get_weather",
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] },
    };
    const config = {
      tools: [{ functionDeclarations: [declaration] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    };
    const question = { role: "user", parts: [{ text: "Use get_weather." }] };
    const asked = await client.models.generateContent({ model, contents: [question], config });
    const [call] = asked.functionCalls ?? [];
    const turn = asked.candidates?.[0]?.content;
    expect(call?.name).toBe("get_weather");
    const functionResponse = { id: call?.id ?? "", name: "get_weather", response: { weather: "sunny" } };
    const result = { role: "user", parts: [{ functionResponse }] };
    const contents = [question, ...(turn === undefined ? [] : [turn]), result];
    const answered = await client.models.generateContent({ model, contents, config });
    expect(answered.text ?? "").not.toBe("");
  });

  test("counts tokens and embeds texts", async () => {
    const { totalTokens } = await client.models.countTokens({ model, contents: "Hello there, world" });
    expect(totalTokens).toBe(5);
    const { embeddings } = await client.models.embedContent({
      model: embedder,
      contents: ["a cat", "a dog"].map((text) => ({ parts: [{ text }] })),
      config: { outputDimensionality: 16, taskType: "RETRIEVAL_DOCUMENT" },
    });
    expect(embeddings?.map(({ values }) => values?.length)).toEqual([16, 16]);
  });

  test("lists models and gets one", async () => {
    const names: (string | undefined)[] = [];
    for await (const { name } of await client.models.list({ config: { pageSize: 1 } })) {
      names.push(name);
    }
    expect(names.toSorted()).toEqual([`models/${model}`, `models/${embedder}`]);
    expect(await client.models.get({ model })).toMatchObject({
      name: `models/${model}`,
      supportedActions: ["generateContent", "countTokens"],
    });
  });

  test("reads what was wrong from an error", async () => {
    const refused = await client.models
      .generateContent({ model, contents: "Hi", config: { tools: [{ googleSearch: {} }] } })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect((refused as ApiError).status).toBe(400);
    const unknown = await client.models.countTokens({ model: "none", contents: "Hi" }).catch((error: unknown) => error);
    expect((unknown as ApiError).status).toBe(404);
  });
});
