/**
 * Everything that changes a bill, through every route, as real calls: what the provider receives of it, and that the
 * charge is the one computed independently. What happens at admission alone is in unit/gateway/options.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { upstreamSettings } from "@sluice/contracts/upstreams";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import { allRoutes, serveThrough, surfaces } from "../support/calls/call-routes.ts";
import { optionRows, type PaidOption, type SurfaceOption } from "../support/calls/paid-options.ts";
import { exactCost, type PriceTexts } from "../support/calls/priced-usage.ts";
import { RealtimeClient } from "../support/calls/realtime-client.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const noParts = { cache_read_usd_per_m: null, cache_write_usd_per_m: null, cache_write_1h_usd_per_m: null };
const price = {
  ...{ input_usd_per_m: "3", output_usd_per_m: "15", cache_read_usd_per_m: "0.3", cache_write_usd_per_m: "3.75" },
  ...{ cache_write_1h_usd_per_m: "6", search_usd_per_k: "10", reasoning_usd_per_m: "20" },
  long_prompt: {
    ...{ ...noParts, above_tokens: 2_000, input_usd_per_m: "7", output_usd_per_m: "22", reasoning_usd_per_m: null },
  },
};
const priceTexts: PriceTexts = { ...price, version: 1, request_usd: "0", image_usd: "0", second_usd: "0" };
const tokens = { prompt: 2_000, cached: 1_000, written5m: 300, written1h: 100, completion: 80, reasoning: 30 };
const searches = 2;
const text = "four words of text";
const noUnits = {
  ...{ inputTokens: 0n, outputTokens: 0n, cacheReadTokens: 0n, cacheWriteTokens: 0n, cacheWrite1hTokens: 0n },
  ...{ reasoningTokens: 0n, images: 0, audioMs: 0n, searches: 0 },
};

/** What a provider of a dialect counts of `tokens`: only the Messages API says for how long it keeps what it wrote. */
function unitsOf(dialect: string, prompt: number, isHour: boolean) {
  const written = { messages: [300n, 100n], gemini: [0n, 0n] }[dialect] ?? (isHour ? [0n, 400n] : [400n, 0n]);
  return {
    ...noUnits,
    ...{ inputTokens: BigInt(prompt), outputTokens: 80n, cacheReadTokens: 1_000n, reasoningTokens: 30n },
    ...{ cacheWriteTokens: written[0] ?? 0n, cacheWrite1hTokens: written[1] ?? 0n },
    searches: dialect === "messages" ? searches : 0,
  };
}

const channels = ["chat", "responses", "messages", "gemini"] as const;
const geminiPath = (stream: boolean) =>
  `/v1beta/models/m-gemini:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
const routes = [
  ...allRoutes.map(({ name, surface, channel }) => ({ name, surface, channel })),
  { name: "gemini as it is", surface: "gemini", channel: "gemini" } as const,
];

describe("an option that costs extra", () => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      prepare: async (rig, { url }) => {
        const bounds = { contextTokensMax: 200_000, outputTokensMax: 64_000, imageTokensMax: 1_600 };
        for (const dialect of channels) {
          const name = `m-${dialect}`;
          await rig.db.withTransaction((tx) =>
            addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, price),
          );
          await serveThrough(rig, name, dialect, url);
        }
        const gemini = { gemini: { base_url: url, auth: "x_goog_api_key" } } as const;
        const settings = JSON.stringify(upstreamSettings.parse({ dialects: gemini }));
        await rig.db.sql`update channel set upstream = ${settings}::text::jsonb where name = 'channel-m-gemini'`;
        const free = { input_usd_per_m: "0", output_usd_per_m: "0" };
        await rig.addTokenPriceModel("flat-picture", { ...free, image_usd: "0.04" });
        await rig.addTokenPriceModel("token-picture", { input_usd_per_m: "5", output_usd_per_m: "40" });
        await rig.addTokenPriceModel("voice", { input_usd_per_m: "32", output_usd_per_m: "64" });
      },
    });
  });
  afterAll(async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
    await scene.close();
  });

  const ask = async (path: string, body: object) => {
    const user = await scene.rig.addUser();
    const answer = await fetch(`${scene.sluice.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { answer, said: await answer.text(), rows: () => waitForSettledRows(scene.rig.db, user.gatewayUserId, 1) };
  };
  const askBy = ({ surface, channel }: (typeof routes)[number], fields: object, stream = false) =>
    surface === "gemini"
      ? ask(geminiPath(stream), { contents: [{ role: "user", parts: [{ text: "Hi" }] }], ...fields })
      : ask(surfaces[surface].path, {
          model: `m-${channel}`,
          ...surfaces[surface].fields,
          ...fields,
          ...(stream ? { stream } : {}),
        });
  const sent = (): Record<string, unknown> => JSON.parse(scene.provider.requests[0]?.body.toString() ?? "null");

  const cells = routes.flatMap((route) =>
    optionRows[route.surface].map((row): [string, string, (typeof routes)[number], SurfaceOption] => [
      ...([row.option, route.name, route, row] as const),
    ]),
  );

  test.each(cells)("%s: %s", async (_option, _name, route, row) => {
    scene.provider.reset();
    scene.provider.script({ text, tokens: { ...tokens, ...(route.channel === "messages" ? { searches } : {}) } });
    const { answer, said, rows } = await askBy(route, row.fields);
    const outcome: PaidOption =
      (route.surface === route.channel ? row.native : row.converted[route.channel]) ?? row.native;
    if ("refused" in outcome) {
      expect([answer.status, scene.provider.requests.length]).toEqual([400, 0]);
      expect(said).toContain(outcome.refused);
      return;
    }
    expect([answer.status, said]).toEqual([200, expect.any(String)]);
    const isMessages = route.surface === "messages";
    expect(answer.headers.get(isMessages ? "x-compat-dropped" : "x-sluice-dropped")).toBe(outcome.dropped ?? null);
    expect(sent()).toMatchObject(outcome.sent ?? (outcome.gone === undefined ? row.fields : {}));
    for (const name of outcome.gone ?? []) {
      expect(JSON.stringify(sent())).not.toContain(name);
    }
    const [charged] = await rows();
    const units = unitsOf(route.channel, tokens.prompt, outcome.isHour === true);
    expect(charged).toMatchObject({ ...units, usageSource: "provider" });
    expect(charged?.quota).toBe(exactCost(units, priceTexts));
  });

  const thresholds = routes.flatMap((route) =>
    [2_000, 2_001].flatMap((prompt) => [false, true].map((stream) => [route.name, prompt, stream, route] as const)),
  );

  test.each(thresholds)(
    "a prompt above a threshold, %s, of %p tokens (stream %p)",
    async (_name, prompt, stream, route) => {
      scene.provider.reset();
      scene.provider.script({
        text,
        tokens: { ...tokens, prompt, ...(route.channel === "messages" ? { searches } : {}) },
      });
      const { answer, rows } = await askBy(route, {}, stream);
      expect(answer.status).toBe(200);
      const [charged] = await rows();
      const units = unitsOf(route.channel, prompt, false);
      expect(charged).toMatchObject({ ...units, usageSource: "provider" });
      expect(charged?.quota).toBe(exactCost(units, priceTexts));
    },
  );

  describe("of images", () => {
    const draw = (model: string, fields: object) =>
      ask("/v1/images/generations", { model, prompt: "a cat", ...fields });

    test.each([{ size: "1536x1024" }, { quality: "high" }, { input_fidelity: "high" }, { partial_images: 2 }])(
      "%p is refused where pictures have one price, and sent where their tokens do",
      async (fields) => {
        scene.provider.reset();
        const refused = await draw("flat-picture", fields);
        expect([refused.answer.status, scene.provider.requests.length]).toEqual([400, 0]);
        expect(refused.said).toContain("unpriced_option");
        const usage = { input_tokens: 50, output_tokens: 6_000, total_tokens: 6_050 };
        scene.provider.script({ body: { created: 1, data: [{ b64_json: "AAAA" }], usage } });
        const { answer, rows } = await draw("token-picture", fields);
        expect(answer.status).toBe(200);
        expect(sent()).toMatchObject(fields);
        // 50 tokens at 5 and 6,000 at 40 USD for a million; 500,000 quota are a USD.
        expect((await rows())[0]).toMatchObject({ quota: BigInt(Math.ceil((50 * 5 + 6_000 * 40) / 2)) });
      },
    );

    test("several are charged one by one", async () => {
      scene.provider.reset();
      const { answer, rows } = await draw("flat-picture", { n: 3 });
      expect([answer.status, sent()["n"]]).toEqual([200, 3]);
      expect((await rows())[0]).toMatchObject({ images: 3, quota: 60_000n });
    });
  });

  test("in a realtime session is refused, and all of its audio is charged", async () => {
    scene.provider.reset();
    const usage = {
      ...{ input_tokens: 900, output_tokens: 200, total_tokens: 1_100 },
      input_token_details: { text_tokens: 100, audio_tokens: 800, cached_tokens: 0 },
      output_token_details: { text_tokens: 20, audio_tokens: 180 },
    };
    const response = { id: "resp_1", status: "completed", usage };
    const heard = {
      type: "response.output_audio.delta",
      response_id: "resp_1",
      item_id: "i",
      output_index: 0,
      delta: "AAAA",
    };
    scene.provider.script({
      realtimeEvents: [
        { type: "response.created", response: { id: "resp_1" } },
        heard,
        { type: "response.done", response },
      ],
    });
    const user = await scene.rig.addUser();
    const headers = { authorization: `Bearer ${user.apiKey}` };
    const client = await RealtimeClient.open(`${scene.sluice.url}/v1/realtime?model=voice`, { headers });
    await client.next("session.created");
    const refused: [object, string][] = [
      [{ tools: [{ type: "mcp", server_label: "x" }] }, "session.tools[0].type"],
      [{ tools: [{ type: "web_search" }] }, "session.tools[0].type"],
      [{ moderation: { model: "x" } }, "session.moderation"],
      [{ service_tier: "priority" }, "session.service_tier"],
      [{ prompt: { id: "x" } }, "session.prompt"],
      [{ models: ["x"] }, "session.models"],
    ];
    for (const [session, param] of refused) {
      client.send({ type: "session.update", session });
      expect((await client.next("error"))["error"]).toMatchObject({ param });
    }
    client.send({ type: "session.update", session: { output_modalities: ["audio"] } });
    client.send({ type: "response.create" });
    await client.next("response.done");
    await client.close();
    expect(scene.provider.requests[0]?.messages).toHaveLength(2);
    // 900 tokens at 32 and 200 at 64 USD for a million: those of a model with sound are the prices of its sound.
    const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(row).toMatchObject({ inputTokens: 900n, outputTokens: 200n, quota: BigInt((900 * 32 + 200 * 64) / 2) });
  });

  test.each(["/v1/batches", "/v1/files", "/v1/messages/batches", "/v1beta/models/m-gemini:batchGenerateContent"])(
    "such as the batches of %s reaches no provider",
    async (path) => {
      scene.provider.reset();
      const { answer } = await ask(path, { model: "m-chat", requests: [] });
      expect([403, 404]).toContain(answer.status);
      expect(scene.provider.requests).toEqual([]);
    },
  );
});
