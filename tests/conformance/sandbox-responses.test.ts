import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import OpenAI from "openai";
import { failureOf } from "../support/values/failure-of.ts";

const provider = startSandboxProvider();
const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
const model = "gpt-5.5";
const encrypted = { include: ["reasoning.encrypted_content" as const], store: false };

type Request = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "stream">;

const streamOf = (request: Request) => Array.fromAsync(client.responses.stream({ model, ...request }));
afterEach(() => provider.reset());
afterAll(() => provider.stop());

describe("reasoning", () => {
  const reasoning = { effort: "low", summary: "auto" } as const;

  test("is an item before the message, summarised and encrypted for those who ask", async () => {
    const plain = await client.responses.create({ model, input: "x", reasoning: { effort: "low" } });
    expect(plain.output).toMatchObject([{ type: "reasoning", summary: [] }, { type: "message" }]);
    expect(plain.output[0]).not.toHaveProperty("encrypted_content");
    expect(plain.usage?.output_tokens_details.reasoning_tokens).toBe(64);
    const full = await client.responses.create({ model, input: "x", reasoning, ...encrypted });
    expect(full.output[0]).toMatchObject({
      type: "reasoning",
      summary: [{ type: "summary_text", text: expect.stringContaining("sandbox") }],
      encrypted_content: expect.any(String),
    });
    const without = await client.responses.create({ model, input: "x" });
    expect(without.output.map(({ type }) => type)).toEqual(["message"]);
  });

  test("is streamed as the summary that the whole item has", async () => {
    const events = await streamOf({ input: "x", reasoning, ...encrypted });
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
    ]);
    const said = events.map((event) => (event.type === "response.reasoning_summary_text.delta" ? event.delta : ""));
    const whole = events.find((event) => event.type === "response.reasoning_summary_text.done");
    expect(said.join("")).toBe(whole?.text ?? "");
    expect(types.at(-1)).toBe("response.completed");
  });

  test("goes back only to the provider that encrypted it", async () => {
    const first = await client.responses.create({ model, input: "x", reasoning, ...encrypted });
    const input = (items: readonly unknown[]) =>
      [...items, { role: "user", content: "y" }] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model, input: input(first.output) })).status).toBe("completed");
    const foreign = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c29tZXRoaW5n" };
    expect(await failureOf(client.responses.create({ model, input: input([foreign]) }))).toMatchObject({
      status: 400,
      code: "invalid_encrypted_content",
      param: "input[0].encrypted_content",
    });
  });
});

describe("a call", () => {
  const applyPatch = { type: "custom" as const, name: "apply_patch" };
  const agents = {
    type: "namespace" as const,
    name: "agents",
    description: "other agents",
    tools: [{ type: "function" as const, name: "wait_agent", parameters: { type: "object", required: ["id"] } }],
  };

  test("of a custom tool has text in place of arguments, and its output is quoted", async () => {
    const called = await client.responses.create({ model, input: "apply_patch now", tools: [applyPatch] });
    expect(called.output).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: "sandbox input" }]);
    const [call] = called.output;
    const callId = call?.type === "custom_tool_call" ? call.call_id : "";
    const after = await client.responses.create({
      model,
      tools: [applyPatch],
      input: [
        { role: "user", content: "apply_patch now" },
        { type: "custom_tool_call", call_id: callId, name: "apply_patch", input: "sandbox input" },
        { type: "custom_tool_call_output", call_id: callId, output: "patched" },
      ],
    });
    expect(after.output_text).toContain("patched");
  });

  test("of a custom tool is streamed, with the text of a script", async () => {
    provider.script({ toolCalls: [{ name: "apply_patch", arguments: "*** Begin Patch" }] });
    const events = await streamOf({ input: "x", tools: [applyPatch] });
    const said = events.map((event) => (event.type === "response.custom_tool_call_input.delta" ? event.delta : ""));
    expect(said.join("")).toBe("*** Begin Patch");
    expect(events.at(-2)).toMatchObject({ type: "response.output_item.done", item: { input: "*** Begin Patch" } });
  });

  test("of a tool in a namespace names both", async () => {
    const called = await client.responses.create({ model, input: "wait_agent please", tools: [agents, applyPatch] });
    expect(called.output).toMatchObject([
      { type: "function_call", name: "wait_agent", namespace: "agents", arguments: '{"id":"sandbox id"}' },
    ]);
  });

  test("of a custom tool works in a chat too", async () => {
    const tools = [{ type: "custom" as const, custom: { name: "apply_patch" } }];
    const messages = [{ role: "user" as const, content: "apply_patch" }];
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    const wanted = { type: "custom", custom: { name: "apply_patch", input: "sandbox input" } };
    expect(choices[0]?.message.tool_calls).toMatchObject([wanted]);
  });
});

test("a response ends incomplete or failed when a script says so", async () => {
  provider.script([{ finishReason: "content_filter" }, { finishReason: "failed" }]);
  const filtered = await client.responses.create({ model, input: "x" });
  expect(filtered).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
  const events = await streamOf({ input: "x" });
  expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "server_error" } } });
});

test("usage counts what was written to the cache", async () => {
  provider.script({ tokens: { prompt: 1000, cached: 300, written5m: 40, completion: 50 } });
  expect((await client.responses.create({ model, input: "x" })).usage).toMatchObject({
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 300, cache_write_tokens: 40 },
    output_tokens: 50,
    total_tokens: 1050,
  });
});
