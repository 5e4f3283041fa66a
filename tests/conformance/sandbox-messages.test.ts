import { afterAll, afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import OlderAnthropic from "anthropic-sdk-0";
import { failureOf } from "../support/values/failure-of.ts";

const provider = startSandboxProvider({ requiredKey: "right-key" });
const client = new Anthropic({ baseURL: provider.url, apiKey: "right-key", maxRetries: 0 });
const older = new OlderAnthropic({ baseURL: `${provider.url}/anthropic`, apiKey: "right-key", maxRetries: 0 });
const base = { model: "claude-sonnet-5-5", max_tokens: 4096 };
const ask = (content: string) => [{ role: "user" as const, content }];
const weatherTool = {
  name: "get_weather",
  input_schema: {
    type: "object" as const,
    properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
    required: ["city", "unit"],
  },
};
const timeTool = {
  name: "get_time",
  input_schema: { type: "object" as const, properties: { zone: { type: "string" } } },
};

afterEach(() => provider.reset());
afterAll(() => provider.stop());

describe("a message", () => {
  test("names the sandbox and counts by the documented rule", async () => {
    const message = await client.messages.create({ ...base, system: "be kind!", messages: ask("hello!!!") });
    const [block] = message.content;
    const text = block?.type === "text" ? block.text : "";
    expect(text).toContain("sandbox");
    expect(text).toContain('You wrote: "hello!!!"');
    expect(message).toMatchObject({ type: "message", role: "assistant", model: base.model, stop_reason: "end_turn" });
    expect(message.usage).toMatchObject({
      input_tokens: 4,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: Math.ceil(Buffer.byteLength(text) / 4),
    });
    expect(message._request_id).toBe("req_sandbox_0");
  });

  test("streams the same blocks and usage that a whole one has", async () => {
    const whole = await client.messages.create({ ...base, messages: ask("hello") });
    const stream = client.messages.stream({ ...base, messages: ask("hello") });
    const types: string[] = [];
    stream.on("streamEvent", (event) => types.push(event.type));
    const streamed = await stream.finalMessage();
    expect<unknown>(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe("end_turn");
    expect(streamed.usage).toMatchObject({
      input_tokens: whole.usage.input_tokens,
      output_tokens: whole.usage.output_tokens,
    });
    expect([types[0], types.at(-2), types.at(-1)]).toEqual(["message_start", "message_delta", "message_stop"]);
    expect(types.filter((type) => type === "content_block_delta").length).toBeGreaterThan(5);
  });

  test("ends at the token limit and before a stop sequence, which it names", async () => {
    const short = await client.messages.create({ ...base, max_tokens: 3, messages: ask("x") });
    expect([short.stop_reason, short.usage.output_tokens]).toEqual(["max_tokens", 3]);
    const stopped = await client.messages.create({
      ...base,
      messages: ask("x"),
      stop_sequences: ["none", "not a real"],
    });
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(["stop_sequence", "not a real"]);
    const prepared = await client.messages.create({ ...base, max_tokens: 0, messages: ask("x") });
    expect([prepared.content, prepared.stop_reason]).toEqual([[], "max_tokens"]);
  });

  test("fits the schema that the client asks for", async () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 7 } }, required: ["n"] };
    const format = { type: "json_schema" as const, schema };
    const message = await client.messages.create({ ...base, messages: ask("x"), output_config: { format } });
    expect(JSON.parse(message.content[0]?.type === "text" ? message.content[0].text : "")).toEqual({ n: 7 });
  });

  test("reads an older client under another base path, and remembers how the key came", async () => {
    const message = await older.messages.create({ ...base, temperature: 0.5, messages: ask("hello") });
    expect(message.stop_reason).toBe("end_turn");
    await client.messages.create({ ...base, messages: ask("hello") });
    expect(provider.requests.map((record) => [record.target, record.credentialStyles])).toEqual([
      ["/anthropic/v1/messages", ["x-api-key"]],
      ["/v1/messages", ["bearer"]],
    ]);
  });

  test("can be counted without being made", async () => {
    const counted = await client.messages.countTokens({ model: "m", messages: ask("hello!!!"), tools: [timeTool] });
    const made = await client.messages.create({ ...base, messages: ask("hello!!!"), tools: [timeTool] });
    expect(counted.input_tokens).toBe(made.usage.input_tokens);
    expect(counted.input_tokens).toBe(2 + Math.ceil(JSON.stringify([timeTool]).length / 4));
  });
});

describe("tools", () => {
  const tools = [weatherTool, timeTool];
  const namesOf = (message: Anthropic.Message) =>
    message.content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));

  test("are called when they are named, with arguments that fit, and answered by a text after their results", async () => {
    const question = ask("get_weather and get_time please");
    const message = await client.messages.create({ ...base, messages: question, tools });
    expect([namesOf(message), message.stop_reason]).toEqual([["get_weather", "get_time"], "tool_use"]);
    const calls = message.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    expect(calls[0]?.input).toEqual({ city: "sandbox city", unit: "celsius" });
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "21 degrees" }));
    const after = await client.messages.create({
      ...base,
      tools,
      messages: [...question, { role: "assistant", content: message.content }, { role: "user", content: results }],
    });
    expect(after.stop_reason).toBe("end_turn");
    expect(JSON.stringify(after.content)).toContain("21 degrees; 21 degrees");
  });

  test("stream their arguments in fragments that make the same input", async () => {
    const stream = client.messages.stream({ ...base, messages: ask("get_weather"), tools });
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject([{ type: "tool_use", input: { city: "sandbox city", unit: "celsius" } }]);
  });

  test("are called as the choice says", async () => {
    const namesWith = async (choice: Anthropic.ToolChoice, text: string): Promise<string[]> =>
      namesOf(await client.messages.create({ ...base, messages: ask(text), tools, tool_choice: choice }));
    expect(await namesWith({ type: "any" }, "x")).toEqual(["get_weather"]);
    expect(await namesWith({ type: "tool", name: "get_time" }, "x")).toEqual(["get_time"]);
    expect(await namesWith({ type: "none" }, "get_time")).toEqual([]);
    expect(await namesWith({ type: "auto" }, "x")).toEqual([]);
    const single = { type: "auto", disable_parallel_tool_use: true } as const;
    expect(await namesWith(single, "get_weather get_time")).toEqual(["get_weather"]);
  });
});

describe("thinking", () => {
  const invalidSignature = expect.stringContaining("Invalid `signature` in `thinking` block");
  const thinking = { type: "enabled", budget_tokens: 1024 } as const;

  test("comes signed before the text, streamed and whole, and is part of the output", async () => {
    const whole = await client.messages.create({ ...base, thinking, messages: ask("x") });
    const streamed = await client.messages
      .stream({ ...base, thinking: { type: "adaptive" }, messages: ask("x") })
      .finalMessage();
    expect(whole.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect<unknown>(streamed.content).toEqual(whole.content);
    expect(whole.usage.output_tokens_details).toEqual({ thinking_tokens: 64 });
    const text = whole.content[1]?.type === "text" ? whole.content[1].text : "";
    expect(whole.usage.output_tokens).toBe(64 + Math.ceil(Buffer.byteLength(text) / 4));
  });

  test("goes back with its own signature only, even where its text was left out", async () => {
    for (const display of ["summarized", "omitted"] as const) {
      const { content } = await client.messages.create({
        ...base,
        thinking: { ...thinking, display },
        messages: ask("x"),
      });
      const back = (blocks: Anthropic.ContentBlockParam[]) =>
        client.messages.create({
          ...base,
          messages: [...ask("x"), { role: "assistant", content: blocks }, ...ask("y")],
        });
      expect((await back(content)).stop_reason).toBe("end_turn");
      const [first, ...rest] = content;
      const signature = first?.type === "thinking" ? first.signature : "";
      const changed = { type: "thinking" as const, thinking: "something else", signature };
      expect(await failureOf(back([changed, ...rest]))).toMatchObject({ status: 400, message: invalidSignature });
      const foreign = { type: "thinking" as const, thinking: "", signature: "c29tZXRoaW5n" };
      expect(await failureOf(back([foreign, ...rest]))).toMatchObject({ status: 400, message: invalidSignature });
    }
  });

  test("signed by another provider is refused", async () => {
    const other = startSandboxProvider({ signatureKey: "other" });
    try {
      const { content } = await client.messages.create({ ...base, thinking, messages: ask("x") });
      const elsewhere = new Anthropic({ baseURL: other.url, apiKey: "k", maxRetries: 0 });
      const messages = [...ask("x"), { role: "assistant" as const, content }, ...ask("y")];
      expect((await client.messages.create({ ...base, messages })).stop_reason).toBe("end_turn");
      const refused = await failureOf(elsewhere.messages.create({ ...base, messages }));
      expect(refused).toMatchObject({ status: 400, message: invalidSignature });
    } finally {
      await other.stop();
    }
  });

  test("can be encrypted by script", async () => {
    provider.script({ reasoning: "secret thoughts", isReasoningRedacted: true });
    const { content } = await client.messages.create({ ...base, messages: ask("x") });
    expect(content.map(({ type }) => type)).toEqual(["redacted_thinking", "text"]);
    expect(JSON.stringify(content)).not.toContain("secret");
  });
});

describe("an error", () => {
  test("has the class that the client makes of its status", async () => {
    const wrong = new Anthropic({ baseURL: provider.url, apiKey: "wrong-key", maxRetries: 0 });
    const refused = await failureOf(wrong.messages.create({ ...base, messages: ask("x") }));
    expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(refused).toMatchObject({ error: { type: "error", error: { type: "authentication_error" } } });
    provider.script([{ status: 429, retryAfter: 7 }, { status: 529 }, { status: 500 }]);
    const errors: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      errors.push(await failureOf(client.messages.create({ ...base, messages: ask("x") })));
    }
    expect(errors).toMatchObject([
      { status: 429, requestID: "req_sandbox_1", error: { error: { type: "rate_limit_error" } } },
      { status: 529, error: { error: { type: "overloaded_error" } } },
      { status: 500, error: { error: { type: "api_error" } } },
    ]);
    expect((errors[0] as { readonly headers: Headers }).headers.get("retry-after")).toBe("7");
  });

  test("in the middle of a stream reaches the client as an error, also on a person's demand", async () => {
    for (const text of ["hello", "sandbox: error after 3 chunks"]) {
      if (text === "hello") {
        provider.script({ errorEventAfter: 3 });
      }
      const stream = client.messages.stream({ ...base, messages: ask(text) });
      expect(await failureOf(stream.finalMessage())).toMatchObject({
        error: { type: "error", error: { type: "overloaded_error" } },
      });
    }
  });

  test("of a cut stream is seen by the client", async () => {
    const stream = client.messages.stream({ ...base, messages: ask("sandbox: cut after 4 chunks") });
    expect(await failureOf(stream.finalMessage())).toBeInstanceOf(Error);
    expect(provider.requests[0]).toMatchObject({ outcome: "cut", chunksWritten: 4 });
  });
});
