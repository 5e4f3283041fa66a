/** Chat completions, and Responses, on a channel that speaks the Messages API alone. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { arrangements } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const model = "claude-sonnet-4-6";
/** It takes a budget, and wants the thinking back that led to its calls. */
const olderModel = "claude-sonnet-4-5";
const tokens = { prompt: 2_000, cached: 1_500, written5m: 300, written1h: 100, completion: 80, reasoning: 30 };
const weather = {
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const question = { role: "user", content: "Weather?" } as const;

type Sent = { readonly [field: string]: unknown; readonly messages: readonly { readonly content: unknown }[] };

describe.each(arrangements)("a channel that speaks the Messages API alone, %s", (arrangement) => {
  let scene: RelayScene;
  let client: OpenAI;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, { url: providerUrl }) => {
        for (const name of [model, olderModel]) {
          await addNativeModel(rig, { name, providerUrl, upstreamModel: `${name}-20260101` });
        }
      },
    });
    client = new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey: scene.user.apiKey, maxRetries: 0 });
  });
  afterEach(async () => {
    scene.provider.reset();
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
  afterAll(() => scene.close());

  const post = (fields: object, apiKey = scene.user.apiKey): Promise<Response> =>
    fetch(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model, messages: [question], ...fields }),
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    });
  const sent = (index: number): Sent => {
    const request = scene.provider.requests[index];
    expect(request?.target).toBe("/v1/messages");
    return JSON.parse(request?.body.toString() ?? "null") as Sent;
  };

  test.each([false, true])("charges a chat completion by the provider's three counts (stream %p)", async (stream) => {
    const user = await scene.rig.addUser();
    scene.provider.script({ tokens, text: "four words of text" });
    const messages = [{ role: "system", content: "Be brief." }, question];
    const options = stream ? { stream, stream_options: { include_usage: true } } : {};
    const answer = await post({ messages, max_tokens: 2_000, ...options }, user.apiKey);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('"prompt_tokens":2000');
    expect(text).toContain(`"model":"${model}"`);
    expect(sent(0)).toMatchObject({
      ...{ model: `${model}-20260101`, max_tokens: 2_000, system: [{ text: "Be brief." }] },
      messages: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }],
    });
    const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(row).toMatchObject({
      outcome: "completed",
      usageSource: "provider",
      inputTokens: 2_000n,
      outputTokens: 80n,
    });
    expect(row).toMatchObject({ cacheReadTokens: 1_500n, cacheWriteTokens: 300n, cacheWrite1hTokens: 100n });
    // In 10^-8 USD for a token: 300 fresh, 30 read, 375 and 600 written, 1,500 of output; 500,000 quota are a USD.
    const cost = 100n * 300n + 1_500n * 30n + 300n * 375n + 100n * 600n + 80n * 1_500n;
    expect(row?.quota).toBe((cost * 500_000n + 10n ** 8n - 1n) / 10n ** 8n);
  });

  test.each([model, olderModel])("continues after tools with signed thinking, whole (%s)", async (name) => {
    const call = { name: "get_weather", arguments: { city: "Rome" } };
    scene.provider.script([
      { text: "Let me see.", reasoning: "A tool.", toolCalls: [call, call] },
      { text: "Warm.", reasoning: "Done." },
    ]);
    const request = { model: name, tools: [{ type: "function" as const, function: weather }] };
    const effort = { reasoning_effort: "high", max_completion_tokens: 8_000 } as const;
    const first = await client.chat.completions.create({ ...request, ...effort, messages: [question] });
    const message = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message).toMatchObject({ content: "Let me see.", reasoning_content: "A tool." });
    const results = (message?.tool_calls ?? []).map(({ id }) => ({
      ...{ role: "tool" as const, tool_call_id: id, content: "25 degrees" },
    }));
    expect(results).toHaveLength(2);
    const messages = [question, ...(message === undefined ? [] : [message]), ...results.toReversed()];
    const second = await client.chat.completions.create({ ...request, ...effort, messages });
    expect(second.choices[0]?.message.content).toBe("Warm.");
    expect(sent(1).messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "A tool." },
          { type: "text" },
          { type: "tool_use" },
          { type: "tool_use" },
        ],
      },
      { role: "user", content: results.map(({ tool_call_id: id }) => ({ type: "tool_result", tool_use_id: id })) },
    ]);
    expect(sent(1)["thinking"]).toMatchObject({ type: name === olderModel ? "enabled" : "adaptive" });
  });

  test("streams text, thinking and calls as the official client reads them", async () => {
    scene.provider.script({
      ...{ text: "Let me see.", reasoning: "A tool.", tokens },
      toolCalls: [{ name: "get_weather", arguments: { city: "Rome" } }],
    });
    const stream = client.chat.completions.stream({
      ...{ model, messages: [question], reasoning_effort: "low" },
      tools: [{ type: "function", function: weather }],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "Let me see.", tool_calls: [{ function: { arguments: '{"city":"Rome"}' } }] },
    });
    expect(final.usage).toMatchObject({ prompt_tokens: 2_000, prompt_tokens_details: { cached_tokens: 1_500 } });
  });

  test("takes images, files and formats", async () => {
    const format = z.object({ city: z.string(), degrees: z.number() });
    const parsed = await client.chat.completions.parse({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Read this." },
            { type: "image_url", image_url: { url: `data:image/png;base64,${btoa("image")}` } },
            { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${btoa("%PDF-1.7")}` } },
          ],
        },
      ],
      response_format: zodResponseFormat(format, "weather"),
    });
    expect(format.safeParse(parsed.choices[0]?.message.parsed).success).toBe(true);
    expect(sent(0).messages[0]?.content).toMatchObject([{ type: "text" }, { type: "image" }, { type: "document" }]);
  });

  test("forces a call without thinking", async () => {
    const answer = await client.chat.completions.create({
      ...{ model, messages: [question], reasoning_effort: "high", tool_choice: "required", parallel_tool_calls: false },
      tools: [{ type: "function", function: weather }],
    });
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
    expect(sent(0)["tool_choice"]).toEqual({ type: "any", disable_parallel_tool_use: true });
  });

  test("says what was left out of a request", async () => {
    const answer = await post({ seed: 1, frequency_penalty: 0.5, user: "me" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-sluice-dropped")).toBe("frequency_penalty, seed");
    expect(JSON.stringify(sent(0))).not.toContain('"me"');
  });

  test.each<[object, string]>([
    [{ n: 2 }, "n"],
    [{ messages: [{ role: "tool", tool_call_id: "x", content: "y" }] }, "messages[0].tool_call_id"],
    [{ functions: [] }, "functions"],
  ])("refuses %j by its field, without a call of the provider", async (fields, param) => {
    const answer = await post(fields);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
    expect(scene.provider.requests).toEqual([]);
  });

  test("reports an error of the provider in the client's form", async () => {
    const content = Array.from({ length: 5 }, () => ({
      ...{ type: "text", text: "a" },
      cache_control: { type: "ephemeral" },
    }));
    const answer = await post({ messages: [{ role: "user", content }] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining("A maximum of 4 blocks") },
    });
  });

  test.each([false, true])("says in the client's words that a prompt is too long (stream %p)", async (stream) => {
    const message = "prompt is too long: 208310 tokens > 200000 maximum";
    const body = { type: "error", error: { type: "invalid_request_error", message } };
    const code = "context_length_exceeded";
    scene.provider.script({ status: 400, body }, { times: "always" });
    const answer = await post({ stream });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { message, code } }]);
    const asked = async () => await client.responses.create({ model, input: "Hello", stream });
    await expect(asked()).rejects.toMatchObject({ status: 400, code, type: "invalid_request_error" });
    const native = await fetch(`${scene.sluice.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ model, stream, max_tokens: 100, messages: [question] }),
      headers: { "x-api-key": scene.user.apiKey, "content-type": "application/json" },
    });
    expect([native.status, await native.json()]).toMatchObject([400, body]);
  });

  test("never lets a cut stream look complete", async () => {
    scene.provider.script({ text: "one two three four five six", chunks: 12, cut: { afterChunks: 4, with: "rst" } });
    const answer = await post({ stream: true });
    const text = await answer.text().catch(() => "");
    expect(text).not.toContain("[DONE]");
    expect(text).not.toContain('"finish_reason":"stop"');
  });

  test.each([false, true])("serves Responses with tools and signed thinking (stream %p)", async (stream) => {
    const call = { name: "get_weather", arguments: { city: "Rome" } };
    scene.provider.script([
      { text: "Let me see.", reasoning: "A tool.", toolCalls: [call] },
      { text: "Warm.", tokens },
    ]);
    const request = {
      ...{ model: olderModel, max_output_tokens: 8_000, reasoning: { effort: "high" as const } },
      include: ["reasoning.encrypted_content" as const],
      tools: [{ type: "function" as const, strict: false, ...weather }],
    };
    const ask = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> =>
      stream
        ? client.responses.stream({ ...request, input }).finalResponse()
        : client.responses.create({ ...request, input });
    const first = await ask([question]);
    const called = first.output.find((item) => item.type === "function_call");
    const output = { type: "function_call_output" as const, call_id: called?.call_id ?? "", output: "25 degrees" };
    const second = await ask([question, ...(first.output as OpenAI.Responses.ResponseInput), output]);
    expect(second.output_text).toBe("Warm.");
    expect(second.usage).toMatchObject({ input_tokens: 2_000, output_tokens: 80 });
    expect(sent(1).messages[1]).toMatchObject({
      content: [{ type: "thinking" }, { type: "text" }, { type: "tool_use" }],
    });
    expect(sent(1)["thinking"]).toMatchObject({ type: "enabled" });
  });
});
