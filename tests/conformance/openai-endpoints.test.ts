import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { refusal, weatherArguments, weatherTool } from "../support/calls/openai-calls.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";

const model = "gpt-4o-mini";
const otherModels = [
  "gpt-3.5-turbo-instruct",
  "text-embedding-3-small",
  "gpt-image-1",
  "tts-1",
  "whisper-1",
  "omni-moderation-latest",
  "maker/model:free",
];

describe.each(arrangements)("the other endpoints under the official client, %s", (arrangement) => {
  let scene: RelayScene;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const name of otherModels) {
          await rig.addFlatPriceModel(name, 100n);
        }
      },
    });
    client = new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey: scene.user.apiKey, maxRetries: 0 });
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  test("list the key's models, and find one by its name, encoded or not", async () => {
    const models = await Array.fromAsync(client.models.list());
    expect(models.map((entry) => entry.id).sort()).toEqual([model, ...otherModels].sort());
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model", owned_by: "openai" });
    expect((await client.models.retrieve("maker/model:free")).id).toBe("maker/model:free");
    expect(await refusal(client.models.retrieve("no-such-model"))).toMatchObject({ code: "model_not_found" });
    expect(scene.provider.requests).toHaveLength(0);
  });

  test("embed texts as the same vectors in both encodings", async () => {
    const request = { model: "text-embedding-3-small", input: ["one", "two"], dimensions: 8 };
    const floats = await client.embeddings.create({ ...request, encoding_format: "float" });
    const packed = await client.embeddings.create(request);
    expect(packed.data.map((entry) => entry.embedding)).toEqual(floats.data.map((entry) => entry.embedding));
    expect(floats.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  test("complete a prompt, whole and streamed", async () => {
    const request = { model: "gpt-3.5-turbo-instruct", prompt: "once", max_tokens: 8 };
    const whole = await client.completions.create(request);
    const chunks = await Array.fromAsync(await client.completions.create({ ...request, stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? "").join("")).toBe(whole.choices[0]?.text ?? "");
    expect(chunks.every((chunk) => chunk.usage == null)).toBeTrue();
  });

  test("return responses, whole and streamed, with text and with function calls", async () => {
    const whole = await client.responses.create({ model, input: "hello" });
    expect(whole.output_text).toContain("sandbox");
    const streamed = await client.responses.stream({ model, input: "hello" }).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage ?? undefined);
    const { function: tool } = weatherTool;
    const called = await client.responses
      .stream({ model, input: "get_weather", tools: [{ type: "function", strict: true, ...tool }] })
      .finalResponse();
    const item = called.output[0];
    const text = item?.type === "function_call" ? item.arguments : "";
    expect(weatherArguments.safeParse(JSON.parse(text)).success).toBeTrue();
    const short = await client.responses.stream({ model, input: "x", max_output_tokens: 2 }).finalResponse();
    expect([short.status, short.incomplete_details?.reason]).toEqual(["incomplete", "max_output_tokens"]);
  });

  test("generate images and speech, transcribe and moderate", async () => {
    const images = await client.images.generate({ model: "gpt-image-1", prompt: "a cat", n: 2 });
    const picture = Buffer.from(images.data?.[1]?.b64_json ?? "", "base64");
    expect(picture.subarray(1, 4).toString()).toBe("PNG");
    const speech = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "hello" });
    const sound = Buffer.from(await speech.arrayBuffer());
    expect([sound.toString("latin1", 0, 4), sound.length]).toEqual(["RIFF", 44 + 5 * 160]);
    expect(speech.headers.get("content-type")).toBe("audio/wav");
    const file = new File([sound], "my name=1; hello.wav", { type: "audio/wav" });
    const heard = await client.audio.transcriptions.create({ model: "whisper-1", file });
    expect(heard.text).toContain(`has ${sound.length} bytes`);
    const input = ["fine", "sandbox: flag"];
    const judged = await client.moderations.create({ model: "omni-moderation-latest", input });
    expect(judged.results.map((result) => result.flagged)).toEqual([false, true]);
  });

  test("leave the books correct", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
