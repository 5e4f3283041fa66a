import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { ask, functionCalls, refusal, timeTool, weatherArguments, weatherTool } from "../support/calls/openai-calls.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

const model = "gpt-4o-mini";
const tools = [weatherTool, timeTool];

describe.each(arrangements)("the official client, %s", (arrangement) => {
  let scene: RelayScene;
  let client: OpenAI;

  beforeAll(async () => {
    // Nothing is read on after an abort, so that the time until the provider sees it is our own.
    scene = await startRelayScene(arrangement, { env: { ABORTED_USAGE_TIMEOUT_MS: "0" } });
    client = clientFor(scene.user.apiKey);
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const clientFor = (apiKey: string, maxRetries = 0) =>
    new OpenAI({ baseURL: `${scene.sluice.url}/v1`, apiKey, maxRetries });

  describe("chat", () => {
    test("gets the text, the finish reason, the usage and a request id", async () => {
      const { data, request_id } = await client.chat.completions
        .create({ model, messages: ask("hello") })
        .withResponse();
      expect(data.choices[0]?.message.content).toContain("sandbox");
      expect(data.choices[0]?.finish_reason).toBe("stop");
      expect(data.usage?.prompt_tokens).toBe(2);
      expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    test("streams the same text in pieces, and shows usage only to those who ask", async () => {
      const whole = await client.chat.completions.create({ model, messages: ask("hello") });
      for (const options of [{}, { stream_options: { include_usage: true } }, { stream_options: {} }]) {
        const isUsageWanted = options.stream_options !== undefined && "include_usage" in options.stream_options;
        const stream = await client.chat.completions.create({
          model,
          messages: ask("hello"),
          stream: true,
          ...options,
        });
        const chunks = await Array.fromAsync(stream);
        const said = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
        expect(said).toBe(whole.choices[0]?.message.content ?? "");
        expect(chunks.length).toBeGreaterThan(5);
        expect(chunks.filter((chunk) => chunk.usage != null).length).toBe(isUsageWanted ? 1 : 0);
        expect(chunks.some((chunk) => chunk.choices.length === 0)).toBe(isUsageWanted);
      }
    });

    test("works through the stream helper, with several choices and a final usage", async () => {
      const request = { model, messages: ask("hello"), n: 2, stream_options: { include_usage: true } };
      const final = await client.chat.completions.stream(request).finalChatCompletion();
      const { stream_options: _options, ...unstreamed } = request;
      const whole = await client.chat.completions.create(unstreamed);
      expect(final.choices.map((choice) => choice.message.content)).toEqual(
        whole.choices.map((choice) => choice.message.content),
      );
      expect(final.usage?.total_tokens).toBe(whole.usage?.total_tokens ?? 0);
    });
  });

  describe("tools", () => {
    test("are called in parallel with arguments that match their schemas, and their results get a response", async () => {
      const request = { model, tools, messages: ask("get_weather and get_time") };
      const first = await client.chat.completions.create(request);
      const calls = functionCalls(first);
      expect(first.choices[0]?.finish_reason).toBe("tool_calls");
      expect(calls.map((call) => call.function.name)).toEqual(["get_weather", "get_time"]);
      expect(weatherArguments.safeParse(JSON.parse(calls[0]?.function.arguments ?? "")).success).toBeTrue();
      const second = await client.chat.completions.create({
        ...request,
        messages: [
          ...request.messages,
          { role: "assistant", content: null, tool_calls: calls },
          ...calls.map((call) => ({ role: "tool" as const, tool_call_id: call.id, content: `result of ${call.id}` })),
        ],
      });
      expect(second.choices[0]?.finish_reason).toBe("stop");
      expect(second.choices[0]?.message.content).toContain("result of");
    });

    test("are streamed in fragments that the client joins into the same calls", async () => {
      const request = { model, tools, messages: ask("get_weather, get_time") };
      const whole = functionCalls(await client.chat.completions.create(request));
      const stream = client.chat.completions.stream(request);
      const fragments: string[] = [];
      stream.on("tool_calls.function.arguments.delta", (event) => void fragments.push(event.arguments_delta));
      const joined = functionCalls(await stream.finalChatCompletion());
      expect(joined.map((call) => call.function)).toMatchObject(whole.map((call) => call.function));
      expect(joined).toHaveLength(2);
      expect(fragments.length).toBeGreaterThan(6);
    });

    test("are run by the client's own runner until the response is text", async () => {
      const asked: string[] = [];
      const runnable = {
        ...timeTool.function,
        description: "says what time it is",
        parse: (text: string): { zone?: string } => JSON.parse(text),
        function: ({ zone }: { zone?: string }) => `noon in ${zone}`,
      };
      const runner = client.chat.completions.runTools({
        model,
        messages: ask("get_time"),
        tools: [{ type: "function", function: runnable }],
        stream: true,
      });
      runner.on("functionToolCallResult", (result) => void asked.push(result));
      expect(await runner.finalContent()).toBeString();
      expect(asked).toHaveLength(1);
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
      const request = { model, messages: ask("x"), response_format: zodResponseFormat(shape, "report") };
      const whole = await client.chat.completions.parse(request);
      expect(shape.safeParse(whole.choices[0]?.message.parsed).success).toBeTrue();
      const final = await client.chat.completions.stream(request).finalChatCompletion();
      expect(final.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed ?? null);
    });

    test("works for responses too", async () => {
      const format = zodTextFormat(shape, "report");
      const response = await client.responses.parse({ model, input: "x", text: { format } });
      expect(shape.safeParse(response.output_parsed).success).toBeTrue();
    });
  });

  describe("an abort", () => {
    test("at any chunk is seen by the provider at once", async () => {
      for (let chunks = 0; chunks <= 4; chunks += 1) {
        scene.provider.reset();
        scene.provider.script({ text: "a b c d", silence: { afterChunks: chunks } });
        const abort = new AbortController();
        const reading = (async () => {
          const request = { model, stream: true as const, messages: ask("x") };
          const stream = await client.chat.completions.create(request, { signal: abort.signal });
          return await Array.fromAsync(stream);
        })().catch(() => []);
        await scene.provider.waitForHeld(0);
        const abortedAtMs = performance.timeOrigin + performance.now();
        abort.abort();
        const record = await scene.provider.waitForCancel(0);
        await reading;
        expect((record.endedAtMs ?? 0) - abortedAtMs).toBeLessThan(promptMs);
      }
    });

    test("of a call without a response yet is seen by the provider at once", async () => {
      scene.provider.script({ neverAnswer: true });
      const abort = new AbortController();
      const call = client.chat.completions.create({ model, messages: ask("x") }, { signal: abort.signal });
      const failed = refusal(call);
      await scene.provider.waitForHeld(0);
      const abortedAtMs = performance.timeOrigin + performance.now();
      abort.abort();
      const record = await scene.provider.waitForCancel(0);
      expect((record.endedAtMs ?? 0) - abortedAtMs).toBeLessThan(promptMs);
      expect(await failed).toBeInstanceOf(OpenAI.APIUserAbortError);
    });
  });

  describe("an error", () => {
    test("of ours has the client's class for it, with code, type and param", async () => {
      const call = (body: object, using = client) => refusal(using.post("/chat/completions", { body }));
      const good = { model, messages: ask("x") };
      const wrongKey = await call(good, clientFor(`sk-${"x".repeat(48)}`));
      expect(wrongKey).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(wrongKey).toMatchObject({ status: 401, code: "invalid_api_key", type: "authentication_error" });
      const unknownModel = await call({ ...good, model: "no-such-model" });
      expect(unknownModel).toBeInstanceOf(OpenAI.NotFoundError);
      expect(unknownModel).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
      const badRole = await call({ model, messages: [{ role: "admin", content: "x" }] });
      expect(badRole).toBeInstanceOf(OpenAI.BadRequestError);
      expect(badRole).toMatchObject({ status: 400, code: "invalid_value", param: "messages[0].role" });
      expect(await refusal(client.get("/nowhere"))).toBeInstanceOf(OpenAI.NotFoundError);
      const poor = await call(good, clientFor((await scene.rig.addUser(0n)).apiKey));
      expect(poor).toBeInstanceOf(OpenAI.RateLimitError);
      expect(poor).toMatchObject({ status: 429, code: "insufficient_quota", type: "insufficient_quota" });
      const disabled = await scene.rig.addUser();
      await scene.rig.db.sql`update gateway_user set status = 'disabled' where id = ${disabled.gatewayUserId}::bigint`;
      const forbidden = await call(good, clientFor(disabled.apiKey));
      expect(forbidden).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(forbidden).toMatchObject({ status: 403, code: "account_disabled", type: "permission_error" });
      expect(scene.provider.requests).toHaveLength(0);
    });

    test("of the provider about the request keeps its message, its param and its code", async () => {
      const error = {
        message: "temperature is too hot",
        type: "invalid_request_error",
        param: "temperature",
        code: "hot",
      };
      scene.provider.script({ status: 400, body: { error } });
      const failed = await refusal(client.chat.completions.create({ model, messages: ask("x"), temperature: 9 }));
      expect(failed).toBeInstanceOf(OpenAI.BadRequestError);
      expect(failed).toMatchObject({ status: 400, param: "temperature", code: "hot", type: "invalid_request_error" });
      expect(failed.message).toContain("temperature is too hot");
    });

    test("of the provider that does not concern the client is a server error", async () => {
      // The only channel is tried twice.
      scene.provider.script([{ status: 500 }, { status: 500 }]);
      const failed = await refusal(client.chat.completions.create({ model, messages: ask("x") }));
      expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
      expect(failed).toMatchObject({ status: 502, code: "upstream_error" });
    });

    test("in the middle of a stream reaches the reader as an error, after everything sent before", async () => {
      const request = { model, stream: true as const, messages: ask("sandbox: error after 3 chunks") };
      const stream = await client.chat.completions.create(request);
      let count = 0;
      const reading = (async () => {
        for await (const _ of stream) {
          count += 1;
        }
      })();
      expect(await refusal(reading)).toMatchObject({ code: "upstream_error" });
      expect(count).toBe(3);
    });
  });

  describe("a client that retries", () => {
    test("waits as long as Retry-After says, and then gets a response", async () => {
      scene.provider.script({ status: 429, retryAfter: 1 });
      const startedAtMs = performance.now();
      const retrying = clientFor(scene.user.apiKey, 1);
      const completion = await retrying.chat.completions.create({ model, messages: ask("x") });
      expect(completion.choices).toHaveLength(1);
      expect(performance.now() - startedAtMs).toBeGreaterThan(1_000);
      expect(scene.provider.requests.map((request) => request.status)).toEqual([429, 200]);
    });

    test("retries a failure of the provider, and pays only for the response", async () => {
      // Each call tries the only channel twice.
      scene.provider.script(Array.from({ length: 4 }, () => ({ status: 500 })));
      const payer = await scene.rig.addUser();
      const completion = await clientFor(payer.apiKey, 2).chat.completions.create({ model, messages: ask("x") });
      expect(completion.choices).toHaveLength(1);
      expect(scene.provider.requests.map((request) => request.status)).toEqual([500, 500, 500, 500, 200]);
      const rowsOf = () =>
        scene.rig.db.sql<{ outcome: string; is_charged: boolean }>`
          select outcome, quota > 0 as is_charged from usage_log
          where gateway_user_id = ${payer.gatewayUserId}::bigint order by started_at`;
      await waitUntil(async () => (await rowsOf()).length === 3);
      expect([...(await rowsOf())]).toEqual([
        { outcome: "failed", is_charged: false },
        { outcome: "failed", is_charged: false },
        { outcome: "completed", is_charged: true },
      ]);
    });

    test("does not retry when the quota is used up", async () => {
      const poor = await scene.rig.addUser(0n);
      let sent = 0;
      const counting = new OpenAI({
        baseURL: `${scene.sluice.url}/v1`,
        apiKey: poor.apiKey,
        maxRetries: 3,
        fetch: (...request) => {
          sent += 1;
          return fetch(...request);
        },
      });
      const failed = await refusal(counting.chat.completions.create({ model, messages: ask("x") }));
      expect(failed).toMatchObject({ code: "insufficient_quota" });
      expect(sent).toBe(1);
    });

    test("retries a key's rate limit after the announced time", async () => {
      const limited = await scene.rig.addUser();
      await scene.rig.db
        .sql`update api_key set requests_per_minute = 1 where gateway_user_id = ${limited.gatewayUserId}::bigint`;
      const once = clientFor(limited.apiKey);
      await once.chat.completions.create({ model, messages: ask("x") });
      const failed = await refusal(once.chat.completions.create({ model, messages: ask("x") }));
      expect(failed).toBeInstanceOf(OpenAI.RateLimitError);
      expect(failed).toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" });
      const seconds = Number(failed.headers?.get("retry-after"));
      expect(seconds).toBeGreaterThan(50);
      expect(seconds).toBeLessThanOrEqual(60);
    });
  });

  test("leaves the books correct after all this", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});
