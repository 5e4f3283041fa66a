/**
 * The official clients of the Messages API, in the current and the previous major version, against the whole program.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { dayMs } from "@sluice/control-plane/platform/clock.ts";
import AnthropicBefore from "anthropic-sdk-0";
import { zodOutputFormat as zodOutputFormatBefore } from "anthropic-sdk-0/helpers/zod";
import { z } from "zod";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig, messagesModel, saveMapEntry } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

type Client = InstanceType<typeof Anthropic>;
type ApiError = InstanceType<typeof Anthropic.APIError>;

/** Both versions have the methods that are used here; their types do not show it. */
const lines = [
  { line: "1.x", Client: Anthropic, outputFormat: zodOutputFormat },
  {
    line: "0.x",
    Client: AnthropicBefore as unknown as typeof Anthropic,
    outputFormat: zodOutputFormatBefore as unknown as typeof zodOutputFormat,
  },
];

const weather = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: {
    type: "object" as const,
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const clock = {
  name: "get_time",
  input_schema: { type: "object" as const, properties: { zone: { type: "string" } }, required: ["zone"] },
};

const ask = (content: string) => ({
  model: messagesModel,
  max_tokens: 200,
  messages: [{ role: "user" as const, content }],
});

async function refusal(call: PromiseLike<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("the call succeeded");
}

describe.each(arrangements)("the official clients, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  describe.each(lines)("$line", ({ Client, outputFormat }) => {
    const clientFor = (apiKey = messages.user.apiKey, maxRetries = 0): Client =>
      new Client({ baseURL: messages.baseUrl, apiKey, maxRetries });

    test("messages.create returns text, the stop reason, the usage and a request id", async () => {
      const message = await clientFor().messages.create({ ...ask("Hello"), system: "Be brief." });
      expect(message.model).toBe(messagesModel);
      expect(message.id).toMatch(/^msg_[0-9a-z]{24}$/);
      expect(message.content).toEqual([{ type: "text", text: expect.stringContaining("sandbox") }] as never);
      expect(message.stop_reason).toBe("end_turn");
      expect(message.usage).toMatchObject({ input_tokens: 4, cache_read_input_tokens: 0 });
      expect(message._request_id).toMatch(/^req_[0-9a-f]{32}$/);
      expect(messages.upstreamBody(0)).toMatchObject({ model: "gpt-4o-mini", max_tokens: 200, stream: false });
    });

    test("auth by token works like auth by key", async () => {
      const client = new Client({ baseURL: messages.baseUrl, authToken: messages.user.apiKey, apiKey: null });
      expect((await client.messages.create(ask("Hello"))).type).toBe("message");
    });

    test("messages.stream fires all its events, and its final message equals the one from create", async () => {
      const whole = await clientFor().messages.create(ask("Hello"));
      const stream = clientFor().messages.stream(ask("Hello"));
      const fired: string[] = [];
      let text = "";
      stream.on("connect", () => fired.push("connect"));
      stream.on("streamEvent", ({ type }) => fired.push(type));
      stream.on("text", (delta) => {
        text += delta;
      });
      stream.on("contentBlock", () => fired.push("contentBlock"));
      stream.on("message", () => fired.push("message"));
      stream.on("finalMessage", () => fired.push("finalMessage"));
      stream.on("end", () => fired.push("end"));
      const final = await stream.finalMessage();
      await stream.done();
      expect(fired.filter((name) => name !== "content_block_delta")).toEqual([
        "connect",
        "message_start",
        "content_block_start",
        "content_block_stop",
        "contentBlock",
        "message_delta",
        "message_stop",
        "message",
        "finalMessage",
        "end",
      ]);
      expect<unknown>(final.content).toEqual(whole.content);
      expect(final.usage).toMatchObject({ ...whole.usage });
      expect(text).toBe((whole.content[0] as { text: string }).text);
      expect(stream.request_id).toMatch(/^req_/);
    });

    test("create with stream returns the raw events in order", async () => {
      const events = await Array.fromAsync(await clientFor().messages.create({ ...ask("Hello"), stream: true }));
      const types = events.map(({ type }) => type);
      expect(types.slice(0, 2)).toEqual(["message_start", "content_block_start"]);
      expect(types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    });

    test("tools are called, even two at once and in streams, and their results come in the order of the calls", async () => {
      const toolCalls = [
        { name: "get_weather", arguments: { city: "Oslo" }, id: "call_a" },
        { name: "get_time", arguments: { zone: "CET" }, id: "call_b" },
      ];
      messages.provider.script([{ toolCalls }, { toolCalls, text: "Let me look." }]);
      const tools = [weather, clock];
      const message = await clientFor().messages.create({ ...ask("What now?"), tools });
      const use = [
        { type: "tool_use", id: "call_a", name: "get_weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "call_b", name: "get_time", input: { zone: "CET" } },
      ];
      expect(message.stop_reason).toBe("tool_use");
      expect(message.content).toMatchObject(use);
      const inputs: unknown[] = [];
      const stream = clientFor().messages.stream({ ...ask("What now?"), tools });
      stream.on("inputJson", (_part, snapshot) => inputs.push(snapshot));
      const streamed = await stream.finalMessage();
      expect(streamed.content.filter(({ type }) => type === "tool_use")).toMatchObject(use);
      expect(inputs.at(-1)).toEqual({ zone: "CET" });
      await clientFor().messages.create({
        ...ask("What now?"),
        tools,
        messages: [
          ...ask("What now?").messages,
          { role: "assistant", content: streamed.content },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_b", content: "noon" },
              { type: "tool_result", tool_use_id: "call_a", content: "no such city", is_error: true },
            ],
          },
        ],
      });
      const sent = messages.upstreamBody(2)["messages"] as { role: string; tool_call_id?: string; content: unknown }[];
      expect(sent.slice(-2)).toEqual([
        { role: "tool", tool_call_id: "call_a", content: "Error: no such city" },
        { role: "tool", tool_call_id: "call_b", content: "noon" },
      ]);
    });

    test.each([false, true])("the tool runner runs until the final response, stream %p", async (stream) => {
      messages.provider.script([
        { toolCalls: [{ name: "get_weather", arguments: { city: "Oslo" } }] },
        { text: "It rains in Oslo." },
      ]);
      const asked: unknown[] = [];
      const tool = {
        ...weather,
        type: "custom" as const,
        parse: (content: unknown) => content,
        run: (input: unknown) => {
          asked.push(input);
          return "rain";
        },
      };
      // The current client asks first whether its conversation can be held here, and then sends all of it.
      const runner = clientFor().beta.messages.toolRunner({ ...ask("Weather?"), tools: [tool], stream });
      const final = await runner.runUntilDone();
      expect(asked).toEqual([{ city: "Oslo" }]);
      expect(final.content).toMatchObject([{ type: "text", text: "It rains in Oslo." }]);
      expect(JSON.stringify(messages.upstreamBody(1))).toContain('"role":"tool"');
    });

    test("parse returns what the schema asks for", async () => {
      const schema = z.object({ city: z.string(), degrees: z.number() });
      const format = outputFormat(schema);
      const message = await clientFor().messages.parse({ ...ask("Weather?"), output_config: { format } });
      expect(schema.parse(message.parsed_output)).toEqual(message.parsed_output as never);
      expect(messages.upstreamBody(0)["response_format"]).toMatchObject({ type: "json_schema" });
    });

    test("thinking is a separate block, whole and streamed", async () => {
      await saveMapEntry(messages.rig, { name: `claude-thinks-${Client === Anthropic}`, flags: { reasoning: true } });
      const request = {
        ...ask("Hello"),
        model: `claude-thinks-${Client === Anthropic}`,
        max_tokens: 2_000,
        thinking: { type: "enabled" as const, budget_tokens: 1_024 },
      };
      await waitUntil(() =>
        clientFor()
          .models.retrieve(request.model)
          .then(
            () => true,
            () => false,
          ),
      );
      messages.provider.script([
        { reasoning: "Hm.", text: "Yes." },
        { reasoning: "Hm.", text: "Yes." },
      ]);
      const blocks = [
        { type: "thinking", thinking: "Hm.", signature: "" },
        { type: "text", text: "Yes." },
      ];
      expect((await clientFor().messages.create(request)).content).toMatchObject(blocks);
      expect((await clientFor().messages.stream(request).finalMessage()).content).toMatchObject(blocks);
    });

    test("countTokens counts", async () => {
      const { input_tokens: tokens } = await clientFor().messages.countTokens({
        model: messagesModel,
        messages: ask("Hello there, how are you?").messages,
        tools: [weather],
      });
      expect(tokens).toBeGreaterThan(20);
      expect(messages.provider.requests).toHaveLength(0);
    });

    test("models are listed page by page and found one by one", async () => {
      for (const day of [1, 2, 3]) {
        const name = `claude-page-${day}`;
        // Later than those that the rig has created.
        const released_at = new Date(Date.now() + day * dayMs).toISOString();
        await saveMapEntry(messages.rig, { name, released_at }).catch(() => undefined);
      }
      await waitUntil(() =>
        clientFor()
          .models.retrieve("claude-page-3")
          .then(
            () => true,
            () => false,
          ),
      );
      const names: string[] = [];
      for await (const { id } of clientFor().models.list({ limit: 2 })) {
        names.push(id);
      }
      expect(names.slice(0, 3)).toEqual(["claude-page-3", "claude-page-2", "claude-page-1"]);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain(messagesModel);
      expect(await clientFor().models.retrieve(messagesModel)).toMatchObject({ id: messagesModel, type: "model" });
      expect((await refusal(clientFor().models.retrieve("claude-none"))).status).toBe(404);
    });

    test("the provider sees an abort, in a stream and before the response", async () => {
      messages.provider.script([{ isEndless: true, chunkDelayMs: 5 }, { neverAnswer: true }]);
      const stream = clientFor().messages.stream(ask("Hello"));
      stream.on("text", () => stream.abort());
      expect((await refusal(stream.finalMessage())).constructor.name).toBe("APIUserAbortError");
      await messages.provider.waitForCancel(0);
      const controller = new AbortController();
      const call = refusal(clientFor().messages.create(ask("Hello"), { signal: controller.signal }));
      await messages.provider.waitForHeld(1);
      controller.abort();
      expect((await call).constructor.name).toBe("APIUserAbortError");
      await messages.provider.waitForCancel(1);
    });

    describe("errors", () => {
      const isCurrent = Client === Anthropic;
      const longContext =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";

      test.each([
        [
          400,
          { status: 400, body: { error: { message: "bad", type: "invalid_request_error" } } },
          400,
          "BadRequestError",
        ],
        [
          400,
          { status: 400, body: { error: { message: longContext, code: "context_length_exceeded" } } },
          400,
          "BadRequestError",
        ],
        [404, { status: 404 }, 404, "NotFoundError"],
        [413, { status: 413 }, 413, isCurrent ? "ContentTooLargeError" : "APIError"],
        [422, { status: 422 }, 400, "BadRequestError"],
        [500, { status: 500 }, 502, "InternalServerError"],
        [504, { status: 504 }, 504, isCurrent ? "GatewayTimeoutError" : "InternalServerError"],
        ["a page", { status: 502, isHtmlBody: true }, 502, "InternalServerError"],
        ["no JSON", { status: 200, body: "oops" }, 502, "InternalServerError"],
      ])("the provider's %p becomes the API's own error: %j", async (_what, behaviour, status, name) => {
        for (const stream of [false, true]) {
          messages.provider.reset();
          messages.provider.script(behaviour, { times: "always" });
          const error = await refusal(clientFor().messages.create({ ...ask("Hello"), stream } as never));
          expect([error.status, error.constructor.name]).toEqual([status, name]);
          expect(error.message).not.toContain("gpt-4o-mini");
          expect(error.requestID).toMatch(/^req_/);
        }
      });

      test("a conversation that is too long is reported in the words that clients act on", async () => {
        messages.provider.script({
          status: 400,
          body: { error: { message: longContext, code: "context_length_exceeded" } },
        });
        const error = await refusal(clientFor().messages.create(ask("Hello")));
        expect(error.message).toContain("prompt is too long: 9000 tokens > 8192 maximum");
      });

      test("a provider's rate limit is passed on with the time to wait, but its refusal of our credential is not", async () => {
        await messages.addModel(`claude-limited-${isCurrent}`);
        messages.provider.script({ status: 429, retryAfter: 7 });
        const limited = await refusal(
          clientFor().messages.create({ ...ask("Hello"), model: `claude-limited-${isCurrent}` }),
        );
        expect([limited.status, limited.constructor.name]).toEqual([429, "RateLimitError"]);
        expect(Number(limited.headers?.get("retry-after"))).toBeGreaterThan(0);
        for (const status of [401, 402, 403]) {
          const model = `claude-refused-${status}-${isCurrent}`;
          await messages.addModel(model);
          messages.provider.script({ status });
          const error = await refusal(clientFor().messages.create({ ...ask("Hello"), model }));
          expect([error.status, error.constructor.name]).toEqual([502, "InternalServerError"]);
        }
      });

      test.each([503, 529])("a provider that is overloaded, by %p, is reported as overloaded", async (status) => {
        const model = `claude-${status}-${isCurrent}`;
        await messages.addModel(model);
        messages.provider.script({ status, retryAfter: 3 });
        const error = await refusal(clientFor().messages.create({ ...ask("Hello"), model }));
        expect([error.status, error.constructor.name]).toEqual([
          529,
          isCurrent ? "OverloadedError" : "InternalServerError",
        ]);
        expect(JSON.stringify(error.error)).toContain('"overloaded_error"');
      });

      test("a refused key, balance, account or model raises the SDK's class for it", async () => {
        const unknown = await refusal(clientFor(`sk-${"A".repeat(48)}`).messages.create(ask("Hello")));
        expect([unknown.status, unknown.constructor.name]).toEqual([401, "AuthenticationError"]);
        const poor = await messages.rig.addUser(0n);
        const unpaid = await refusal(clientFor(poor.apiKey, 2).messages.create(ask("Hello")));
        expect([unpaid.status, unpaid.constructor.name]).toEqual([
          402,
          isCurrent ? "PaymentRequiredError" : "APIError",
        ]);
        const off = await messages.rig.addUser();
        await messages.rig.db.sql`
          update gateway_user set status = 'disabled' where id = ${off.gatewayUserId}::bigint`;
        const denied = await refusal(clientFor(off.apiKey).messages.create(ask("Hello")));
        expect([denied.status, denied.constructor.name]).toEqual([403, "PermissionDeniedError"]);
        const none = await refusal(clientFor().messages.create({ ...ask("Hello"), model: "claude-none" }));
        expect([none.status, none.constructor.name]).toEqual([404, "NotFoundError"]);
        expect(messages.provider.requests).toHaveLength(0);
      });

      test("a model that no provider serves is reported as overloaded", async () => {
        await messages.rig.addModel(`lonely-${isCurrent}`);
        await saveMapEntry(messages.rig, { name: `claude-lonely-${isCurrent}`, upstream_model: `lonely-${isCurrent}` });
        const call = () =>
          refusal(clientFor().messages.create({ ...ask("Hello"), model: `claude-lonely-${isCurrent}` }));
        await waitUntil(async () => (await call()).status !== 404);
        const error = await call();
        expect([error.status, error.constructor.name]).toEqual([
          529,
          isCurrent ? "OverloadedError" : "InternalServerError",
        ]);
      });
    });
  });
});
