import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { NewPrice } from "@sluice/control-plane/models/model-store.ts";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import OpenAI from "openai";
import type { ResponseInputFile } from "openai/resources/responses/responses";
import { refusal } from "../support/calls/openai-calls.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, type SettledRow, waitForSettledRows } from "../support/usage/settled-rows.ts";

/** Prices in USD per million tokens, per picture, per second. 500,000 quota are 1 USD. */
const priced: Record<string, Partial<NewPrice>> = {
  "text-embedding-3-small": { input_usd_per_m: "0.02" },
  "gpt-3.5-turbo-instruct": { input_usd_per_m: "1.5", output_usd_per_m: "2" },
  "dall-e-3": { image_usd: "0.04" },
  "gpt-image-1": { input_usd_per_m: "5", output_usd_per_m: "40" },
  "tts-1": { input_usd_per_m: "15" },
  "gpt-4o-mini-tts": { input_usd_per_m: "0.6", output_usd_per_m: "12" },
  "whisper-1": { second_usd: "0.0001" },
  "gpt-4o-transcribe": { input_usd_per_m: "2.5", output_usd_per_m: "10" },
  "omni-moderation-latest": { request_usd: "0.00001" },
  "rerank-1": { input_usd_per_m: "0.05" },
};

describe.each(arrangements)("the surfaces besides chat, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const [name, price] of Object.entries(priced)) {
          await rig.addTokenPriceModel(name, { input_usd_per_m: "0", output_usd_per_m: "0", ...price });
        }
      },
    });
  });

  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  afterAll(() => scene.close());

  const clientOf = ({ apiKey }: TestUser) => new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey, maxRetries: 0 });

  /** A separate user for one test, so that its rows are easy to identify. */
  const begin = async (quota?: bigint) => {
    user = await scene.rig.addUser(quota);
    client = clientOf(user);
  };

  /** The rows of the user; each has to cost what its usage says, and no more than was set aside. */
  const rows = async (count = 1): Promise<SettledRow[]> => {
    const settled = await waitForSettledRows(scene.rig.db, user.gatewayUserId, count);
    expect(settled).toHaveLength(count);
    for (const row of settled) {
      expect(row.quota).toBe(recomputedCost(row));
      expect(row.quota).toBeLessThanOrEqual(row.quotaHeld);
    }
    return settled;
  };

  const script = (behaviour: Behaviour) => scene.provider.script(behaviour);

  describe("text", () => {
    test("vectors are charged by the tokens of all inputs", async () => {
      await begin();
      const input = ["one two three", "four five six seven"];
      const { usage } = await client.embeddings.create({ model: "text-embedding-3-small", input });
      const [row] = await rows();
      expect(row).toMatchObject({
        inputTokens: BigInt(usage.prompt_tokens),
        outputTokens: 0n,
        usageSource: "provider",
      });
    });

    test("many vectors may have more tokens than one context, and are still covered", async () => {
      await begin();
      script({ usage: { prompt_tokens: 250_000, total_tokens: 250_000 } });
      const input = Array.from({ length: 250 }, () => "x ".repeat(1_000));
      await client.embeddings.create({ model: "text-embedding-3-small", input });
      expect((await rows())[0]).toMatchObject({ inputTokens: 250_000n });
    });

    test("completions are charged for each prompt and each choice", async () => {
      await begin();
      const request = { model: "gpt-3.5-turbo-instruct", prompt: "once upon a time", max_tokens: 8 };
      const { usage } = await client.completions.create(request);
      await Array.fromAsync(await client.completions.create({ ...request, stream: true }));
      const settled = await rows(2);
      expect(settled.map(({ outputTokens }) => outputTokens)).toEqual(
        Array.from({ length: 2 }, () => BigInt(usage?.completion_tokens ?? -1)),
      );
      script({ usage: { prompt_tokens: 4, completion_tokens: 2 * 3 * 8 } });
      await client.completions.create({ ...request, prompt: ["a", "b"], best_of: 3 });
      await rows(3);
    });

    test("responses are charged by their last event, even if it says that they are incomplete", async () => {
      await begin();
      const model = "gpt-4o-mini";
      const whole = await client.responses.create({ model, input: "hello" });
      const streamed = await client.responses.stream({ model, input: "hello" }).finalResponse();
      const short = await client.responses.stream({ model, input: "x", max_output_tokens: 2 }).finalResponse();
      expect(short.status).toBe("incomplete");
      const settled = await rows(3);
      expect(settled.map((row) => [row.outputTokens, row.outcome, row.usageSource])).toEqual(
        [whole, streamed, short].map(({ usage }) => [BigInt(usage?.output_tokens ?? -1), "completed", "provider"]),
      );
    });

    test("a response that failed is free, and never looks complete", async () => {
      await begin();
      const failed = {
        type: "response.failed",
        response: { id: "r", status: "failed", error: { code: "server_error" } },
      };
      script({ events: [{ type: "response.created", response: { id: "r" } }, failed] });
      const stream = await client.responses.create({ model: "gpt-4o-mini", input: "x", stream: true });
      const types: string[] = [];
      const reading = (async () => {
        for await (const { type } of stream) {
          types.push(type);
        }
      })();
      await reading.catch((error: unknown) => types.push(String(error)));
      expect(types[0]).toBe("response.created");
      expect(types.at(-1)).toMatch(/error/i);
      expect((await rows())[0]).toMatchObject({ outcome: "failed", quota: 0n });
    });

    test("the bound of a response is its output limit, and with a compressed file the whole context", async () => {
      // 0.075 and 0.3 quota a token: 16,384 tokens of output alone are 4,916 quota.
      await begin(1_000n);
      const model = "gpt-4o-mini";
      expect(await refusal(client.responses.create({ model, input: "x" }))).toMatchObject({
        code: "insufficient_quota",
      });
      await client.responses.create({ model, input: "x", max_output_tokens: 16 });
      const file = {
        type: "input_file",
        file_data: "data:application/pdf;base64,AAAA",
        filename: "a.pdf",
      } satisfies ResponseInputFile;
      const packed = { model, input: [{ role: "user" as const, content: [file] }], max_output_tokens: 16 };
      expect(await refusal(client.responses.create(packed))).toMatchObject({ code: "insufficient_quota" });
      expect(scene.provider.requests).toHaveLength(1);
    });

    test("moderations cost the price of a request, even without a model; reranking costs its input", async () => {
      await begin();
      await client.moderations.create({ input: "fine" });
      const documents = ["a cat", "a dog", "the moon"];
      const ranked = await client.post<{ results: { index: number }[]; usage: { total_tokens: number } }>("/rerank", {
        body: { model: "rerank-1", query: "dog", documents, top_n: 1 },
      });
      expect(ranked.results).toEqual([expect.objectContaining({ index: 1 })]);
      const [judged, rank] = await rows(2);
      expect(judged).toMatchObject({ model: "omni-moderation-latest", quota: 5n });
      expect(rank).toMatchObject({ inputTokens: BigInt(ranked.usage.total_tokens), usageSource: "provider" });
    });
  });

  describe("images", () => {
    test("are charged as often as they were requested, and that much is set aside", async () => {
      // 20,000 quota a picture.
      await begin(60_000n);
      const request = { model: "dall-e-3", prompt: "a cat" };
      expect(await refusal(client.images.generate({ ...request, n: 4 }))).toMatchObject({ code: "insufficient_quota" });
      await client.images.generate({ ...request, n: 2 });
      script({ body: { created: 1, data: [{ url: "https://example.com/a.png" }] } });
      await client.images.generate(request);
      const [, two, one] = await rows(3);
      expect([two?.images, two?.quota, one?.images, one?.quota]).toEqual([2, 40_000n, 1, 20_000n]);
    });

    test("are charged for those delivered when fewer came than were requested", async () => {
      await begin();
      script({ body: { created: 1, data: [{ b64_json: "AAAA" }] } });
      await client.images.generate({ model: "dall-e-3", prompt: "a cat", n: 4 });
      expect((await rows())[0]).toMatchObject({ images: 1, quota: 20_000n, quotaHeld: 80_000n });
    });

    test("are charged as often as they came, even if that is more than requested", async () => {
      await begin();
      const eight = Array.from({ length: 8 }, () => ({ b64_json: "AAAA" }));
      script({ body: { created: 1, data: eight } });
      await client.images.generate({ model: "dall-e-3", prompt: "a cat", n: 2 });
      const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ images: 8, quota: 160_000n, quotaHeld: 40_000n });
    });

    test("that cost tokens are charged by tokens, whole, edited and streamed", async () => {
      await begin();
      const model = "gpt-image-1";
      const { usage } = await client.images.generate({ model, prompt: "a cat" });
      const done = { input_tokens: 9, output_tokens: 272, total_tokens: 281 };
      script({ body: { created: 1, data: [{ b64_json: "AAAA" }], usage: done } });
      const image = new File([Buffer.alloc(64)], "a.png", { type: "image/png" });
      await client.images.edit({ model, prompt: "a hat", image });
      script({
        events: [
          { type: "image_generation.partial_image", b64_json: "AA", partial_image_index: 0 },
          { type: "image_generation.completed", b64_json: "AAAA", usage: done },
        ],
      });
      const stream = await client.images.generate({ model, prompt: "a cat", stream: true, partial_images: 1 });
      expect((await Array.fromAsync(stream)).map(({ type }) => type)).toContain("image_generation.completed");
      expect((await rows(3)).map((row) => [row.outputTokens, row.images, row.usageSource])).toEqual([
        [BigInt(usage?.output_tokens ?? -1), 1, "provider"],
        [272n, 1, "provider"],
        [272n, 1, "provider"],
      ]);
    });
  });

  describe("audio", () => {
    test("speech arrives byte for byte and costs its characters", async () => {
      await begin();
      const input = "Grüße, 世界";
      const speech = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input });
      const sound = Buffer.from(await speech.arrayBuffer());
      expect(sound.length).toBe(44 + 9 * 160);
      expect(sound.toString("latin1", 0, 4)).toBe("RIFF");
      // 7.5 quota a character.
      expect((await rows())[0]).toMatchObject({ inputTokens: 9n, quota: 68n, usageSource: "estimated" });
    });

    test("speech arrives while it is still being generated, and is charged although the client hangs up", async () => {
      await begin();
      scene.provider.script({ silence: { afterBytes: 20_000 } });
      const leave = new AbortController();
      const answer = await fetch(`${scene.sluice.url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "tts-1", voice: "alloy", input: "x".repeat(1_000) }),
        signal: leave.signal,
      });
      const reader = answer.body?.getReader();
      const first = await reader?.read();
      expect(first?.value?.byteLength).toBeGreaterThan(0);
      leave.abort();
      await scene.provider.waitForCancel(0);
      expect((await rows())[0]).toMatchObject({ outcome: "aborted", inputTokens: 1_000n, usageSource: "estimated" });
      const traceOf = async () => [
        ...(await scene.rig.db.sql<{ status: string; model: string | null }>`
          select status, model from trace_record where gateway_user_id = ${user.gatewayUserId}::bigint`),
      ];
      await waitUntil(async () => (await traceOf()).length > 0);
      expect(await traceOf()).toEqual([{ status: "aborted", model: "tts-1" }]);
    });

    test("speech as events costs what its last event counts", async () => {
      await begin();
      const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
      script({
        events: [
          { type: "speech.audio.delta", audio: "AAAA" },
          { type: "speech.audio.done", usage },
        ],
      });
      const request = { model: "gpt-4o-mini-tts", voice: "alloy", input: "hi", stream_format: "sse" } as const;
      expect(await (await client.audio.speech.create(request)).text()).toContain("speech.audio.done");
      expect((await rows())[0]).toMatchObject({ inputTokens: 14n, outputTokens: 101n, usageSource: "provider" });
    });

    test("transcribed audio costs the seconds or the tokens that the provider reports", async () => {
      await begin();
      const file = new File([Buffer.alloc(160_000)], "a.wav", { type: "audio/wav" });
      await client.audio.transcriptions.create({ model: "whisper-1", file });
      const usage = { type: "tokens", input_tokens: 100, output_tokens: 20, total_tokens: 120 };
      script({ usage });
      await client.audio.transcriptions.create({ model: "gpt-4o-transcribe", file });
      script({
        events: [
          { type: "transcript.text.delta", delta: "hello" },
          { type: "transcript.text.done", text: "hello", usage },
        ],
      });
      const stream = await client.audio.transcriptions.create({ model: "gpt-4o-transcribe", file, stream: true });
      expect(await Array.fromAsync(stream)).toHaveLength(2);
      const [timed, ...counted] = await rows(3);
      // 160,000 bytes are 10 s; a second costs 50 quota.
      expect(timed).toMatchObject({ audioMs: 10_000n, quota: 500n, usageSource: "provider" });
      expect(counted.map(({ quota }) => quota)).toEqual([225n, 225n]);
    });

    test("transcribed audio is not free if the provider counts it in the unit without a price", async () => {
      await begin();
      const file = new File([Buffer.alloc(160_000)], "a.wav", { type: "audio/wav" });
      const usage = { type: "tokens", input_tokens: 100, output_tokens: 20, total_tokens: 120 };
      script({ body: { text: "a".repeat(150), usage } });
      await client.audio.transcriptions.create({ model: "whisper-1", file });
      script({ body: { text: "a".repeat(150), usage: { type: "duration", seconds: 10 } } });
      await client.audio.transcriptions.create({ model: "gpt-4o-transcribe", file });
      const [byTime, byToken] = await rows(2);
      expect(byTime).toMatchObject({ audioMs: 10_000n, quota: 500n, usageSource: "estimated" });
      expect(byToken).toMatchObject({ inputTokens: 100n, outputTokens: 30n, usageSource: "estimated" });
      expect(Number(byToken?.quota)).toBeGreaterThan(200);
    });

    test("audio that the model has no price for is refused before a provider is asked", async () => {
      await begin();
      const file = new File([Buffer.alloc(160_000)], "a.wav", { type: "audio/wav" });
      const refused = { code: "unpriced_option", param: "model" };
      expect(await refusal(client.audio.transcriptions.create({ model: "dall-e-3", file }))).toMatchObject(refused);
      const speech = client.audio.speech.create({ model: "dall-e-3", voice: "alloy", input: "hi" });
      expect(await refusal(speech)).toMatchObject(refused);
      expect(scene.provider.requests).toHaveLength(0);
    });

    test("transcribed audio is never free if it was requested as text", async () => {
      await begin();
      const file = new File([Buffer.alloc(160_000)], "a.wav", { type: "audio/wav" });
      await client.audio.transcriptions.create({ model: "whisper-1", file, response_format: "text" });
      const [row] = await rows();
      expect(row?.usageSource).toBe("estimated");
      expect(Number(row?.audioMs)).toBeGreaterThan(4_000);
    });

    test("sets aside the longest time that the file can last", async () => {
      // 320 s at 4 kbit/s are 16,000 quota.
      await begin(15_000n);
      const file = new File([Buffer.alloc(160_000)], "a.wav", { type: "audio/wav" });
      const call = client.audio.transcriptions.create({ model: "whisper-1", file });
      expect(await refusal(call)).toMatchObject({ code: "insufficient_quota" });
      expect(scene.provider.requests).toHaveLength(0);
    });
  });
});
