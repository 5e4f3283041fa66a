import { afterAll, afterEach, expect, test } from "bun:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { APICallError, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";

const provider = startSandboxProvider();
const sandbox = createOpenAICompatible({
  name: "sandbox",
  baseURL: `${provider.url}/v1`,
  apiKey: "key",
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const model = sandbox("gpt-4o-mini");
const weather = tool({
  inputSchema: z.object({ city: z.string(), days: z.int().min(1).max(7) }),
  execute: ({ city, days }) => `${city}: sunny for ${days}`,
});

afterEach(() => provider.reset());
afterAll(() => provider.stop());

test("generateText gets the text, the usage and the finish reason", async () => {
  const result = await generateText({ model, prompt: "hello" });
  expect(result.text).toContain("sandbox");
  expect(result.finishReason).toBe("stop");
  expect(result.usage.inputTokens).toBe(2);
  expect(result.usage.outputTokens).toBe(Math.ceil(Buffer.byteLength(result.text) / 4));
});

test("streamText gets the same text in pieces, and the usage", async () => {
  const whole = await generateText({ model, prompt: "hello" });
  const result = streamText({ model, prompt: "hello" });
  const pieces = await Array.fromAsync(result.textStream);
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.join("")).toBe(whole.text);
  expect((await result.usage).outputTokens).toBe(whole.usage.outputTokens);
});

test("a tool is called with valid input, and its result gets a response, whole and streamed", async () => {
  const request = { model, prompt: "use get_weather", tools: { get_weather: weather }, stopWhen: isStepCount(3) };
  const whole = await generateText(request);
  expect(whole.steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
  expect(whole.text).toContain("sunny for");
  const streamed = streamText(request);
  await streamed.consumeStream();
  expect((await streamed.steps).map((step) => step.finishReason)).toEqual(["tool-calls", "stop"]);
  expect(await streamed.text).toBe(whole.text);
});

test("structured output fits its schema", async () => {
  const schema = z.object({ name: z.string().min(3), age: z.int().min(18), tags: z.array(z.string()) });
  const { output } = await generateText({ model, prompt: "x", output: Output.object({ schema }) });
  expect(schema.safeParse(output).success).toBeTrue();
});

test("reasoning is returned separately from the text", async () => {
  const result = await generateText({ model, prompt: "sandbox: reason let me see; say done" });
  expect([result.reasoningText, result.text]).toEqual(["let me see", "done"]);
});

test("an error has its status, and whether a retry makes sense", async () => {
  for (const [status, isRetryable] of [
    [400, false],
    [429, true],
    [503, true],
  ] as const) {
    const failed = await generateText({ model, prompt: `sandbox: status ${status}`, maxRetries: 0 }).catch(
      (error: unknown) => error,
    );
    expect(APICallError.isInstance(failed)).toBeTrue();
    expect(failed).toMatchObject({ statusCode: status, isRetryable });
  }
});

test("an abort is seen by the sandbox", async () => {
  provider.script({ text: "a b c d", silence: { afterChunks: 2 } });
  const abort = new AbortController();
  const result = streamText({ model, prompt: "x", abortSignal: abort.signal, onError: () => undefined });
  const reading = result.consumeStream();
  await provider.waitForHeld(0);
  abort.abort();
  const record = await provider.waitForCancel(0);
  await reading;
  expect(record.chunksWritten).toBe(2);
});
