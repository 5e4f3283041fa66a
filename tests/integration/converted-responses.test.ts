/** Responses on a channel that speaks only chat completions. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { addModelWithChannel, waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

const model = "chat-only";
const weather = {
  type: "function" as const,
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};
const tokens = { prompt: 1_000, cached: 400, completion: 50, reasoning: 20 };

describe.each(arrangements)("a response of a channel of chat completions, %s", (arrangement) => {
  let scene: MessagesRig;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await MessagesRig.start(arrangement);
    await addModelWithChannel(scene.rig, model, `${scene.provider.url}/v1`);
    await scene.rig.db.sql`
      update channel set upstream = upstream #- '{dialects,responses}' where name = ${`channel-${model}`}`;
    client = new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey: scene.user.apiKey, maxRetries: 3 });
    await waitUntil(async () => {
      await post({});
      return scene.provider.requests.at(-1)?.target === "/v1/chat/completions";
    });
    scene.provider.reset();
  });
  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
  afterAll(() => scene.close());

  const post = (fields: object, headers: Record<string, string> = {}): Promise<Response> =>
    scene.call("/v1/responses", { method: "POST", body: JSON.stringify({ model, input: "Hi", ...fields }), headers });

  test("comes whole and is charged by the provider's count", async () => {
    scene.provider.script([{ text: "Hello.", reasoning: "Hm.", toolCalls: [], tokens }]);
    const answer = await post({ instructions: "Be brief.", max_output_tokens: 200 });
    expect(answer.status).toBe(200);
    const response = (await answer.json()) as OpenAI.Responses.Response;
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model,
      output: [
        { type: "reasoning", summary: [{ text: "Hm." }] },
        { type: "message", content: [{ type: "output_text", text: "Hello." }] },
      ],
      usage: {
        ...{ input_tokens: 1_000, input_tokens_details: { cached_tokens: 400 } },
        ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1_050 },
      },
    });
    expect(scene.provider.requests.map(({ target }) => target)).toEqual(["/v1/chat/completions"]);
    expect(scene.upstreamBody(0)).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      max_tokens: 200,
    });
    expect(await scene.usageOf(answer)).toMatchObject({
      ...{ outcome: "completed", model, input_tokens: 1_000n, cache_read_tokens: 400n, output_tokens: 50n },
    });
  });

  test("comes as a stream that the official client reads, and is charged the same", async () => {
    scene.provider.script([
      { text: "Hello.", toolCalls: [{ name: "get_weather", arguments: { city: "Rome" } }], tokens },
    ]);
    const runner = client.responses.stream({ model, input: "Hi", tools: [weather] });
    const response = await runner.finalResponse();
    expect(response.output_text).toBe("Hello.");
    expect(response.output.at(-1)).toMatchObject({ type: "function_call", arguments: '{"city":"Rome"}' });
    expect(response.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 50 });
    expect(scene.upstreamBody(0)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test("keeps the format that the client asked for", async () => {
    const format = z.object({ city: z.string(), degrees: z.number() });
    const response = await client.responses.parse({
      model,
      input: "Weather?",
      text: { format: zodTextFormat(format, "weather") },
    });
    expect(format.safeParse(response.output_parsed).success).toBe(true);
    expect(scene.upstreamBody(0)).toMatchObject({ response_format: { type: "json_schema" } });
  });

  test("continues after a tool", async () => {
    scene.provider.script([{ text: "Warm.", toolCalls: [] }]);
    const response = await client.responses.create({
      model,
      tools: [weather],
      input: [
        { role: "user", content: "Weather?" },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: "25 degrees" },
      ],
    });
    expect(response.output_text).toBe("Warm.");
    expect(scene.upstreamBody(0)["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "25 degrees" },
    ]);
  });

  test("is read by LangChain, whole and streamed, with its tools", async () => {
    const chat = new ChatOpenAI({
      ...{ model, apiKey: scene.user.apiKey, useResponsesApi: true, maxRetries: 0 },
      configuration: { baseURL: `${scene.sluice.url}/v1` },
    });
    const call = { name: "get_weather", id: "call_1", arguments: { city: "Rome" } };
    scene.provider.script([
      { text: "Hm.", toolCalls: [call], tokens },
      { text: "It is warm.", toolCalls: [], tokens },
    ]);
    const asked = new HumanMessage("Weather?");
    const called = await chat.bindTools([{ type: "function", function: weather }]).invoke([asked]);
    expect(called.tool_calls).toMatchObject([{ name: "get_weather", id: "call_1", args: { city: "Rome" } }]);
    expect(called.usage_metadata).toMatchObject({ input_tokens: 1_000, output_tokens: 50 });
    const result = new ToolMessage({ content: "25 degrees", tool_call_id: "call_1" });
    let text = "";
    for await (const piece of await chat.stream([asked, called, result])) {
      text += piece.text;
    }
    expect(text).toBe("It is warm.");
    expect(scene.upstreamBody(1)["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1" }] },
      { role: "tool", content: "25 degrees" },
    ]);
  });

  test("says what was left out of its request", async () => {
    const answer = await post({ tools: [weather, { type: "web_search" }], truncation: "auto" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-sluice-dropped")).toBe("web_search, truncation");
  });

  test("is refused by its field, without a call of the provider, when it has no counterpart", async () => {
    const answer = await post({ input: [{ type: "function_call_output", call_id: "x", output: "y" }] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: {
        type: "invalid_request_error",
        param: "input[0].call_id",
        message: expect.stringContaining("No tool call"),
      },
    });
    expect(scene.provider.requests).toEqual([]);
    expect(await scene.usageOf(answer)).toMatchObject({ outcome: "failed", quota: 0n });
  });

  test.each<[string, object]>([
    ["is cut", { chunks: 20, cut: { afterChunks: 8, with: "rst" } }],
    ["breaks off in an event", { chunks: 20, malformedChunk: 8 }],
    ["has an error in its midst", { chunks: 20, errorEventAfter: 8 }],
  ])("never looks complete when its stream %s", async (_how, behaviour) => {
    scene.provider.script([{ toolCalls: [], ...behaviour }]);
    const text = await (await post({ stream: true })).text().catch(() => "");
    expect(text).not.toContain("response.completed");
    expect(text).not.toContain("response.incomplete");
  });

  test("is tried again when nothing was sent", async () => {
    scene.provider.script([{ status: 503 }]);
    expect((await client.responses.create({ model, input: "Hi" })).status).toBe("completed");
  });
});
