import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAICompatible, type OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import { APICallError, embed, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

const weather = tool({
  inputSchema: z.object({ city: z.string(), days: z.int().min(1).max(7) }),
  execute: ({ city, days }) => `${city}: sunny for ${days}`,
});
const time = tool({ inputSchema: z.object({ zone: z.string() }), execute: ({ zone }) => `noon in ${zone}` });

describe.each(arrangements)("the AI SDK, %s", (arrangement) => {
  let scene: RelayScene;
  let sluice: OpenAICompatibleProvider;
  let model: ReturnType<OpenAICompatibleProvider["chatModel"]>;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      // Nothing is read on after an abort, so that the time until the provider sees it is our own.
      env: { ABORTED_USAGE_TIMEOUT_MS: "0" },
      prepare: (rig) => rig.addFlatPriceModel("text-embedding-3-small", 100n),
    });
    sluice = providerFor({ includeUsage: true });
    model = sluice.chatModel("gpt-4o-mini");
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const providerFor = (more: { includeUsage: boolean }) =>
    createOpenAICompatible({
      name: "sluice",
      baseURL: `${scene.sluice.url}/v1`,
      apiKey: scene.user.apiKey,
      supportsStructuredOutputs: true,
      ...more,
    });

  test("generateText gets the text, the usage and the finish reason", async () => {
    const result = await generateText({ model, prompt: "hello" });
    expect(result.text).toContain("sandbox");
    expect(result.finishReason).toBe("stop");
    expect(result.usage.inputTokens).toBe(2);
    expect(result.usage.outputTokens).toBe(Math.ceil(Buffer.byteLength(result.text) / 4));
  });

  test("streamText gets the same text in pieces, with the usage if it asks and without it if it does not", async () => {
    const whole = await generateText({ model, prompt: "hello" });
    for (const includeUsage of [true, false]) {
      const result = streamText({
        model: providerFor({ includeUsage }).chatModel("gpt-4o-mini"),
        prompt: "hello",
        onError: ({ error }) => expect.unreachable(String(error)),
      });
      const pieces = await Array.fromAsync(result.textStream);
      expect(pieces.length).toBeGreaterThan(5);
      expect(pieces.join("")).toBe(whole.text);
      expect(await result.finishReason).toBe("stop");
      expect((await result.usage).outputTokens).toBe(includeUsage ? whole.usage.outputTokens : undefined);
    }
  });

  test("tools are called with valid input, and their results get a response, whole and streamed", async () => {
    const tools = { get_weather: weather, get_time: time };
    const request = { model, prompt: "use get_weather and get_time", tools, stopWhen: isStepCount(3) };
    const whole = await generateText(request);
    expect(whole.steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
    expect(whole.steps[0]?.toolCalls.map((call) => call.toolName)).toEqual(["get_weather", "get_time"]);
    expect(whole.text).toContain("sunny for");
    const streamed = streamText(request);
    await streamed.consumeStream();
    expect((await streamed.steps).map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
    expect(await streamed.text).toBe(whole.text);
  });

  test("structured output fits its schema, whole and streamed", async () => {
    const schema = z.object({ name: z.string().min(3), age: z.int().min(18), tags: z.array(z.string()) });
    const { output } = await generateText({ model, prompt: "x", output: Output.object({ schema }) });
    expect(schema.safeParse(output).success).toBeTrue();
    const streamed = streamText({ model, prompt: "x", output: Output.object({ schema }) });
    const partial = await Array.fromAsync(streamed.partialOutputStream);
    expect(partial.length).toBeGreaterThan(1);
    expect(await streamed.output).toEqual(output);
  });

  test("reasoning is returned separately from the text", async () => {
    const prompt = "sandbox: reason let me see; say done";
    const whole = await generateText({ model, prompt });
    expect([whole.reasoningText, whole.text]).toEqual(["let me see", "done"]);
    const streamed = streamText({ model, prompt });
    expect([await streamed.reasoningText, await streamed.text]).toEqual(["let me see", "done"]);
  });

  test("a text is embedded", async () => {
    const { embedding, usage } = await embed({
      model: sluice.embeddingModel("text-embedding-3-small"),
      value: "hello",
    });
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    expect(usage.tokens).toBe(2);
  });

  test("an error has its status, its message, and whether a retry makes sense", async () => {
    const cases = [
      ["sandbox: status 400", 400, false],
      ["sandbox: status 500", 502, true],
    ] as const;
    for (const [prompt, statusCode, isRetryable] of cases) {
      const failed = await generateText({ model, prompt, maxRetries: 0 }).catch((error: unknown) => error);
      expect(APICallError.isInstance(failed)).toBeTrue();
      expect(failed).toMatchObject({ statusCode, isRetryable });
    }
    const unknown = await generateText({ model: sluice.chatModel("no-such-model"), prompt: "x", maxRetries: 0 }).catch(
      (error: unknown) => error,
    );
    expect(unknown).toMatchObject({ statusCode: 404, data: { error: { code: "model_not_found", param: "model" } } });
  });

  test("an error in the middle of a stream is reported as an error", async () => {
    const errors: unknown[] = [];
    const streamed = streamText({
      model,
      prompt: "sandbox: error after 3 chunks",
      onError: ({ error }) => void errors.push(error),
    });
    await streamed.consumeStream();
    expect(errors).toHaveLength(1);
  });

  test("an abort is seen by the provider at once", async () => {
    scene.provider.script({ text: "a b c d", silence: { afterChunks: 2 } });
    const abort = new AbortController();
    const result = streamText({ model, prompt: "x", abortSignal: abort.signal, onError: () => undefined });
    const reading = result.consumeStream();
    await scene.provider.waitForHeld(0);
    const abortedAtMs = performance.timeOrigin + performance.now();
    abort.abort();
    const record = await scene.provider.waitForCancel(0);
    await reading;
    expect((record.endedAtMs ?? 0) - abortedAtMs).toBeLessThan(promptMs);
  });
});
