import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { promptMs } from "../support/values/patience.ts";

const provider = startSandboxProvider({ requiredKey: "right-key" });
const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "right-key", maxRetries: 0 });
const model = "gpt-4o-mini";
const ask = (content: string) => [{ role: "user" as const, content }];
const weatherTool = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["city", "unit"],
      additionalProperties: false,
    },
  },
};
const timeTool = {
  type: "function" as const,
  function: { name: "get_time", parameters: { type: "object", properties: { zone: { type: "string" } } } },
};
const weatherArguments = z.strictObject({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]) });

afterEach(() => provider.reset());
afterAll(() => provider.stop());

describe("a chat completion", () => {
  test("names the sandbox and the way to a real provider, and counts by the documented rule", async () => {
    const completion = await client.chat.completions.create({ model, messages: ask("hello!!!") });
    const message = completion.choices[0]?.message;
    expect(message?.content).toContain("sandbox");
    expect(message?.content).toContain("PROVIDER_API_KEY");
    expect(message?.refusal).toBeNull();
    expect(completion.choices[0]?.finish_reason).toBe("stop");
    const answered = Math.ceil(Buffer.byteLength(message?.content ?? "") / 4);
    expect(completion.usage).toMatchObject({
      prompt_tokens: 2,
      completion_tokens: answered,
      total_tokens: 2 + answered,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  test("streams the same text in pieces, with usage only for those who ask", async () => {
    const whole = await client.chat.completions.create({ model, messages: ask("hello") });
    for (const isUsageWanted of [true, false]) {
      const stream = await client.chat.completions.create({
        model,
        messages: ask("hello"),
        stream: true,
        ...(isUsageWanted ? { stream_options: { include_usage: true } } : {}),
      });
      const chunks = await Array.fromAsync(stream);
      const said = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
      expect(said).toBe(whole.choices[0]?.message.content ?? "");
      expect(chunks.length).toBeGreaterThan(5);
      expect(chunks.findLast((chunk) => chunk.choices.length > 0)?.choices[0]?.finish_reason).toBe("stop");
      const counted = chunks.filter((chunk) => chunk.usage != null);
      expect(counted.length).toBe(isUsageWanted ? 1 : 0);
      expect(counted.every((chunk) => chunk.choices.length === 0)).toBeTrue();
      if (isUsageWanted) {
        expect(chunks.at(-1)?.usage).toEqual(whole.usage ?? null);
      }
    }
  });

  test("ends at the token limit and before a stop sequence", async () => {
    const short = await client.chat.completions.create({ model, messages: ask("x"), max_completion_tokens: 3 });
    expect(short.choices[0]?.finish_reason).toBe("length");
    expect(short.usage?.completion_tokens).toBe(3);
    const stopped = await client.chat.completions.create({ model, messages: ask("x"), stop: ["not a real"] });
    expect(stopped.choices[0]?.finish_reason).toBe("stop");
    expect(stopped.choices[0]?.message.content).toEndWith("provider, ");
  });

  test("returns as many choices as requested, whole and streamed", async () => {
    const whole = await client.chat.completions.create({ model, messages: ask("x"), n: 3 });
    expect(whole.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    const stream = client.chat.completions.stream({ model, messages: ask("x"), n: 3 });
    const final = await stream.finalChatCompletion();
    const textOf = (completion: OpenAI.ChatCompletion) => completion.choices.map((choice) => choice.message.content);
    expect(textOf(final)).toEqual(textOf(whole));
  });

  test("counts reasoning inside the completion when a model is asked to reason", async () => {
    const completion = await client.chat.completions.create({ model, messages: ask("x"), reasoning_effort: "low" });
    const text = Math.ceil(Buffer.byteLength(completion.choices[0]?.message.content ?? "") / 4);
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBe(64);
    expect(completion.usage?.completion_tokens).toBe(64 + text);
  });

  test("lets the behaviour overwrite fields of the usage", async () => {
    provider.script({ usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 64 } } });
    const completion = await client.chat.completions.create({ model, messages: ask("x") });
    expect(completion.usage?.prompt_tokens_details?.cached_tokens).toBe(64);
    expect(completion.usage?.prompt_tokens).toBe(100);
  });
});

describe("tools", () => {
  test("are called when the message names them, in parallel, with arguments that match their schemas", async () => {
    const tools = [weatherTool, timeTool];
    const completion = await client.chat.completions.create({
      model,
      tools,
      messages: ask("get_weather and get_time"),
    });
    const choice = completion.choices[0];
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.content).toBeNull();
    const calls = (choice?.message.tool_calls ?? []).filter((call) => call.type === "function");
    expect(calls.map((call) => call.function.name)).toEqual(["get_weather", "get_time"]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
    expect(weatherArguments.safeParse(JSON.parse(calls[0]?.function.arguments ?? "")).success).toBeTrue();
  });

  test("are streamed in fragments that the client joins into the same calls", async () => {
    const tools = [weatherTool, timeTool];
    const stream = client.chat.completions.stream({ model, tools, messages: ask("get_weather, get_time") });
    const fragments: string[] = [];
    stream.on("tool_calls.function.arguments.delta", (event) => void fragments.push(event.arguments_delta));
    const final = await stream.finalChatCompletion();
    const calls = (final.choices[0]?.message.tool_calls ?? []).filter((call) => call.type === "function");
    expect(calls.map((call) => call.function.name)).toEqual(["get_weather", "get_time"]);
    expect(fragments.length).toBeGreaterThan(6);
    expect(fragments.join("")).toBe(calls.map((call) => call.function.arguments).join(""));
  });

  test("can be forced, forbidden, and kept to one at a time", async () => {
    const tools = [weatherTool, timeTool];
    const namesFor = async (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, content: string) => {
      const completion = await client.chat.completions.create({ model, tools, messages: ask(content), ...more });
      const calls = completion.choices[0]?.message.tool_calls ?? [];
      return calls.map((call) => (call.type === "function" ? call.function.name : call.type));
    };
    const forced = { type: "function" as const, function: { name: "get_time" } };
    expect(await namesFor({ tool_choice: forced }, "hello")).toEqual(["get_time"]);
    expect(await namesFor({ tool_choice: "required" }, "hello")).toEqual(["get_weather"]);
    expect(await namesFor({ tool_choice: "none" }, "get_time")).toEqual([]);
    expect(await namesFor({}, "hello")).toEqual([]);
    expect(await namesFor({ parallel_tool_calls: false }, "get_weather get_time")).toEqual(["get_weather"]);
  });

  test("end in a text that repeats what they returned", async () => {
    const first = await client.chat.completions.create({ model, tools: [weatherTool], messages: ask("get_weather") });
    const message = first.choices[0]?.message;
    const second = await client.chat.completions.create({
      model,
      tools: [weatherTool],
      tool_choice: "required",
      messages: [
        ...ask("get_weather"),
        ...(message === undefined ? [] : [message]),
        { role: "tool", tool_call_id: message?.tool_calls?.[0]?.id ?? "", content: "sunny, 21 degrees" },
      ],
    });
    expect(second.choices[0]?.finish_reason).toBe("stop");
    expect(second.choices[0]?.message.content).toContain("sunny, 21 degrees");
  });
});

describe("structured output", () => {
  const shape = z.object({
    title: z.string(),
    score: z.number().min(0).max(1),
    tags: z.array(z.enum(["a", "b"])).min(2),
    author: z.object({ name: z.string(), email: z.email() }).nullable(),
  });

  test("by JSON schema parses into the schema, whole and streamed", async () => {
    const responseFormat = zodResponseFormat(shape, "report");
    const whole = await client.chat.completions.parse({ model, messages: ask("x"), response_format: responseFormat });
    expect(shape.safeParse(whole.choices[0]?.message.parsed).success).toBeTrue();
    const stream = client.chat.completions.stream({ model, messages: ask("x"), response_format: responseFormat });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed ?? null);
  });

  test("by JSON mode is an object", async () => {
    const request = { model, messages: ask("json"), response_format: { type: "json_object" as const } };
    const completion = await client.chat.completions.create(request);
    expect(JSON.parse(completion.choices[0]?.message.content ?? "")).toMatchObject({ sandbox: true });
  });

  test("works for responses too", async () => {
    const format = zodTextFormat(shape, "report");
    const response = await client.responses.parse({ model, input: "x", text: { format } });
    expect(shape.safeParse(response.output_parsed).success).toBeTrue();
  });
});

describe("an error", () => {
  test("of each status becomes the client's class for it", async () => {
    const classes = [
      [400, OpenAI.BadRequestError],
      [401, OpenAI.AuthenticationError],
      [403, OpenAI.PermissionDeniedError],
      [404, OpenAI.NotFoundError],
      [409, OpenAI.ConflictError],
      [422, OpenAI.UnprocessableEntityError],
      [429, OpenAI.RateLimitError],
      [500, OpenAI.InternalServerError],
      [503, OpenAI.InternalServerError],
    ] as const;
    for (const [status, kind] of classes) {
      const error = await refusal(
        client.chat.completions.create({ model, messages: ask(`sandbox: status ${status}`) }),
      );
      expect(error).toBeInstanceOf(kind);
      expect(error.status).toBe(status);
      expect(error.type).toBeString();
    }
  });

  test("with Retry-After is retried by a client that retries", async () => {
    provider.script({ status: 429, retryAfter: 0 });
    const retrying = client.withOptions({ maxRetries: 1 });
    const completion = await retrying.chat.completions.create({ model, messages: ask("x") });
    expect(completion.choices.length).toBe(1);
    expect(provider.requests.map((request) => request.status)).toEqual([429, 200]);
  });

  test("for a missing or wrong credential is 401, and for an unknown path 404", async () => {
    const wrong = client.withOptions({ apiKey: "wrong-key" });
    expect((await refusal(wrong.models.list())).code).toBe("invalid_api_key");
    const bare = await fetch(`${provider.url}/v1/models`);
    expect([bare.status, Object.keys((await bare.json()) as object)]).toEqual([401, ["error"]]);
    expect((await refusal(client.get("/nowhere"))).status).toBe(404);
    expect((await refusal(client.get("/chat/completions"))).status).toBe(405);
  });

  test("in the middle of a stream reaches the client as an error", async () => {
    const stream = await client.chat.completions.create({
      model,
      stream: true,
      messages: ask("sandbox: error after 3 chunks"),
    });
    let count = 0;
    const reading = (async () => {
      for await (const _ of stream) {
        count += 1;
      }
    })();
    expect(await refusal(reading)).toBeInstanceOf(OpenAI.APIError);
    expect(count).toBe(3);
  });

  test("for a request that the real provider refuses names the parameter", async () => {
    const bad = [
      [{ model, messages: [] }, "messages"],
      [{ model, messages: ask("x"), stream_options: { include_usage: true } }, "stream_options"],
      [{ model, messages: ask("x"), max_tokens: 0 }, "max_tokens"],
      [{ model, messages: ask("x"), n: 1.5 }, "n"],
    ] as const;
    for (const [body, param] of bad) {
      const error = await refusal(client.post("/chat/completions", { body }));
      expect([error.status, error.param]).toEqual([400, param]);
    }
  });
});

test("an abort by the client is seen within a few milliseconds at every chunk", async () => {
  for (let chunks = 0; chunks <= 4; chunks += 1) {
    provider.reset();
    provider.script({ text: "a b c d", silence: { afterChunks: chunks } });
    const stream = await client.chat.completions.create({ model, stream: true, messages: ask("x") });
    const reading = Array.fromAsync(stream).catch(() => "aborted");
    const record = await provider.waitForHeld(0);
    const abortedAtMs = performance.timeOrigin + performance.now();
    stream.controller.abort();
    await provider.waitForCancel(0);
    await reading;
    expect(record.chunksWritten).toBe(chunks);
    expect((record.endedAtMs ?? 0) - abortedAtMs).toBeLessThan(promptMs);
  }
});

describe("the other endpoints", () => {
  test("list models", async () => {
    const models = await Array.fromAsync(client.models.list());
    expect(models.map((entry) => entry.id)).toContain(model);
    expect((await client.models.retrieve("anything")).id).toBe("anything");
  });

  test("embed a text into the same unit vector each time, in both encodings", async () => {
    const request = { model: "text-embedding-3-small", input: ["one", "two"], dimensions: 8 };
    const floats = await client.embeddings.create({ ...request, encoding_format: "float" });
    const packed = await client.embeddings.create(request);
    expect(packed.data.map((entry) => entry.embedding)).toEqual(floats.data.map((entry) => entry.embedding));
    const [first, second] = floats.data.map((entry) => entry.embedding);
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 5);
    expect(first).not.toEqual(second ?? []);
    expect(floats.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  test("complete a prompt, whole and streamed", async () => {
    const request = { model: "gpt-3.5-turbo-instruct", prompt: "once", max_tokens: 8 };
    const whole = await client.completions.create(request);
    expect(whole.choices[0]?.finish_reason).toBe("length");
    const stream = await client.completions.create({ ...request, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? "").join("")).toBe(whole.choices[0]?.text ?? "");
  });

  test("return responses, whole and streamed, with text and with function calls", async () => {
    const whole = await client.responses.create({ model, input: "hello" });
    expect(whole.output_text).toContain("sandbox");
    expect(whole.usage).toMatchObject({ input_tokens: 2, input_tokens_details: { cached_tokens: 0 } });
    const streamed = await client.responses.stream({ model, input: "hello" }).finalResponse();
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.usage).toEqual(whole.usage ?? undefined);
    const { function: tool } = weatherTool;
    const tools = [{ type: "function" as const, strict: true, ...tool }];
    const called = await client.responses.stream({ model, input: "get_weather", tools }).finalResponse();
    const item = called.output[0];
    expect(item?.type).toBe("function_call");
    const text = item?.type === "function_call" ? item.arguments : "";
    expect(weatherArguments.safeParse(JSON.parse(text)).success).toBeTrue();
    const short = await client.responses.stream({ model, input: "x", max_output_tokens: 2 }).finalResponse();
    expect([short.status, short.incomplete_details?.reason]).toEqual(["incomplete", "max_output_tokens"]);
  });

  test("generate images and speech, transcribe and moderate", async () => {
    const images = await client.images.generate({ model: "gpt-image-1", prompt: "a cat", n: 2 });
    expect(images.data?.length).toBe(2);
    expect(
      Buffer.from(images.data?.[0]?.b64_json ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const speech = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "hello" });
    const wav = Buffer.from(await speech.arrayBuffer());
    expect([wav.toString("latin1", 0, 4), wav.length]).toEqual(["RIFF", 44 + 5 * 160]);
    const file = new File([wav], "hello.wav", { type: "audio/wav" });
    const heard = await client.audio.transcriptions.create({ model: "whisper-1", file });
    expect(heard.text).toContain(`'hello.wav' has ${wav.length} bytes`);
    const judged = await client.moderations.create({
      model: "omni-moderation-latest",
      input: ["fine", "sandbox: flag"],
    });
    expect(judged.results.map((result) => result.flagged)).toEqual([false, true]);
  });
});

/** The error with which a call fails. */
async function refusal(call: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof OpenAI.APIError) {
      return error;
    }
    throw error;
  }
  throw new Error("the call succeeded");
}
