import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";

const provider = startSandboxProvider({ createdAtSeconds: 1_767_225_600 });
const usualHeaders = { "x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json" };
const hello = { model: "m", max_tokens: 2000, messages: [{ role: "user", content: "hello" }] };

afterEach(() => provider.reset());
afterAll(() => provider.stop());

type Received = { readonly status: number; readonly headers: Headers; readonly text: string };

async function send(
  body: unknown,
  headers: Readonly<Record<string, string>> = usualHeaders,
  path = "/v1/messages",
): Promise<Received> {
  const written = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${provider.url}${path}`, { method: "POST", headers, body: written });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const refusalOf = async (body: unknown, headers = usualHeaders): Promise<unknown> => {
  const { status, text } = await send(body, headers);
  return [status, JSON.parse(text).error?.message];
};

describe("a request that the real provider refuses", () => {
  const { "anthropic-version": _version, ...unversioned } = usualHeaders;

  test("gets the error of its dialect with the id that is also in the header", async () => {
    const { status, headers, text } = await send(hello, unversioned);
    expect([status, headers.get("request-id")]).toEqual([400, "req_sandbox_0"]);
    expect(JSON.parse(text)).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "anthropic-version: header is required" },
      request_id: "req_sandbox_0",
    });
    const { "x-api-key": _key, ...keyless } = usualHeaders;
    expect(await send(hello, keyless).then(({ text: error }) => JSON.parse(error).error)).toEqual({
      type: "authentication_error",
      message: "x-api-key header is required",
    });
    expect((await send(hello, usualHeaders, "/v1/messages/batches")).text).toContain("not_found_error");
  });

  const call = { type: "tool_use", id: "c1", name: "f", input: {} };
  const result = { type: "tool_result", tool_use_id: "c1", content: "r" };
  const user = { role: "user", content: "hello" };
  const turns = (...messages: readonly unknown[]) => ({ ...hello, messages });
  const tool = { name: "f", input_schema: { type: "object" } };
  const marked = { type: "text", text: "x", cache_control: { type: "ephemeral" } };
  const cases: readonly (readonly [name: string, body: unknown, message: string])[] = [
    ["no JSON", "{", "The request body is not valid JSON"],
    ["no max_tokens", { ...hello, max_tokens: undefined }, "max_tokens: Field required"],
    ["no messages", turns(), "messages: at least one message is required"],
    ["a field of another dialect", { ...hello, n: 1 }, "n: Extra inputs are not permitted"],
    [
      "a stream that is a text",
      { ...hello, stream: "true" },
      "stream: Invalid input: expected boolean, received string",
    ],
    [
      "an unknown role",
      turns({ role: "tool", content: "x" }),
      "messages.0.role: Input should be 'user', 'assistant' or",
    ],
    [
      "an assistant first",
      turns({ role: "assistant", content: "x" }),
      'messages: first message must use the "user" role',
    ],
    ["an empty text block", turns({ role: "user", content: [{ type: "text", text: "" }] }), "must be non-empty"],
    ["a blank text block", turns({ role: "user", content: [{ type: "text", text: " \n" }] }), "non-whitespace text"],
    ["an empty turn", turns({ role: "user", content: "" }), "all messages must have non-empty content"],
    ["a space at the end of a prefill", turns(user, { role: "assistant", content: "x " }), "trailing whitespace"],
    ["an unknown block", turns({ role: "user", content: [{ type: "image_url" }] }), "Input tag 'image_url' found"],
    [
      "a call without a result",
      turns(user, { role: "assistant", content: [call] }, user),
      "without `tool_result` blocks",
    ],
    [
      "a text before the result",
      turns(
        user,
        { role: "assistant", content: [call] },
        { role: "user", content: [{ type: "text", text: "x" }, result] },
      ),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1.",
    ],
    ["a result without a call", turns({ role: "user", content: [result] }), "unexpected `tool_use_id` found"],
    ["two calls with one id", turns(user, { role: "assistant", content: [call, call] }), "ids must be unique"],
    [
      "an id with other characters",
      turns(user, { role: "assistant", content: [{ ...call, id: "a.b" }] }),
      "match pattern",
    ],
    ["a tool without a schema", { ...hello, tools: [{ name: "f" }] }, "tools.0.custom.input_schema: Field required"],
    [
      "a tool of another dialect",
      { ...hello, tools: [{ type: "function", function: {} }] },
      "Input tag 'function' found",
    ],
    ["a tool twice", { ...hello, tools: [tool, tool] }, "tools: Tool names must be unique."],
    [
      "a choice of no tool",
      { ...hello, tools: [tool], tool_choice: { type: "tool", name: "g" } },
      "Tool 'g' not found",
    ],
    [
      "thinking before a forced tool",
      { ...hello, tools: [tool], tool_choice: { type: "any" }, thinking: { type: "adaptive" } },
      "Thinking may not be enabled when tool_choice forces tool use.",
    ],
    [
      "a budget above the limit",
      { ...hello, thinking: { type: "enabled", budget_tokens: 2000 } },
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "thinking with a temperature",
      { ...hello, temperature: 0.5, thinking: { type: "enabled", budget_tokens: 1024 } },
      "`temperature` may only be set to 1 when thinking is enabled.",
    ],
    [
      "a call that comes back without its thinking",
      {
        ...turns(user, { role: "assistant", content: [call] }, { role: "user", content: [result] }),
        thinking: { type: "enabled", budget_tokens: 1024 },
      },
      "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
    [
      "five breakpoints",
      turns({ role: "user", content: [marked, marked, marked, marked, marked] }),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
  ];
  for (const [name, body, message] of cases) {
    test(`because of ${name} is refused with its words`, async () => {
      expect(await refusalOf(body)).toEqual([400, expect.stringContaining(message)]);
    });
  }

  test("since the newest version, names its sampling field", async () => {
    const newest = { ...usualHeaders, "anthropic-version": "2026-10-21" };
    expect(await refusalOf({ ...hello, temperature: 1 }, newest)).toEqual([
      400,
      "temperature: Extra inputs are not permitted",
    ]);
    expect(await refusalOf({ ...hello, temperature: 1 })).toEqual([200, undefined]);
  });
});

test("a request of a coding agent is accepted: betas, system turns, reminders, tools of the provider", async () => {
  const body = {
    ...hello,
    system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>use f</system-reminder>" },
          { type: "text", text: "hi" },
        ],
      },
      {
        role: "system",
        content: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral", ttl: "1h" } }],
      },
    ],
    tools: [
      { name: "f", input_schema: { type: "object" }, defer_loading: true },
      { type: "web_search_20250305", name: "web_search", max_uses: 8 },
    ],
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "high" },
    thinking: { type: "adaptive", display: "omitted" },
    metadata: { user_id: "u" },
  };
  const headers = { ...usualHeaders, "anthropic-beta": "made-up-2030-01-01" };
  const { status, text } = await send(body, headers, "/v1/messages?beta=true");
  expect([status, JSON.parse(text).content]).toEqual([
    200,
    [
      { type: "thinking", thinking: "", signature: expect.any(String) },
      { type: "text", text: expect.stringContaining('You wrote: "hi"') },
    ],
  ]);
});

test("a conversation continues after a restart: no call gets an id that an earlier one had", async () => {
  const messages: unknown[] = [];
  const ids: unknown[] = [];
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  for (let turn = 0; turn < 2; turn += 1) {
    provider.reset();
    messages.push({ role: "user", content: "f please" });
    const { status, text } = await send({ ...hello, messages, tools });
    const { content } = JSON.parse(text);
    const results = [{ type: "tool_result", tool_use_id: content?.[0]?.id, content: "done" }];
    messages.push({ role: "assistant", content }, { role: "user", content: results });
    ids.push(status, content?.[0]?.id);
    messages.push({ role: "assistant", content: "done" });
  }
  expect(ids).toEqual([200, "toolu_sandbox_0_1_0_0", 200, "toolu_sandbox_0_5_0_0"]);
  expect((await send({ ...hello, messages: [...messages, ...hello.messages], tools })).status).toBe(200);
});

describe("the cache of prompts", () => {
  const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });
  const block = (text: string, marks: object = {}) => ({ type: "text", text, ...marks });
  const usageOf = async (body: object): Promise<unknown> => {
    const { usage } = JSON.parse((await send({ ...hello, ...body })).text);
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
    expect(usage.cache_creation_input_tokens).toBe(short + long);
    return { fresh: usage.input_tokens, short, long, read: usage.cache_read_input_tokens };
  };
  const system = [block("s".repeat(400), mark())];

  test("is written at first sight and read afterwards, up to the last breakpoint", async () => {
    expect(await usageOf({ system })).toEqual({ fresh: 2, short: 100, long: 0, read: 0 });
    expect(await usageOf({ system })).toEqual({ fresh: 2, short: 0, long: 0, read: 100 });
    expect(await usageOf({ system: [block("t".repeat(400), mark())] })).toMatchObject({ short: 100, read: 0 });
    expect(await usageOf({ system, model: "other" })).toMatchObject({ short: 100, read: 0 });
    expect(await usageOf({ system: [block("s".repeat(400))] })).toEqual({ fresh: 102, short: 0, long: 0, read: 0 });
  });

  test("grows with a conversation whose breakpoint moves on, and tells the lifetimes apart", async () => {
    const first = [{ role: "user", content: [block("a".repeat(40), mark())] }];
    const long = [block("s".repeat(400), mark("1h"))];
    expect(await usageOf({ system: long, messages: first })).toEqual({ fresh: 0, short: 10, long: 100, read: 0 });
    const second = [
      { role: "user", content: "a".repeat(40) },
      { role: "assistant", content: "b".repeat(80) },
      { role: "user", content: [block("c".repeat(120), mark())] },
    ];
    expect(await usageOf({ system: long, messages: second })).toEqual({ fresh: 0, short: 50, long: 0, read: 110 });
  });

  test("is empty after a reset, and a scripted count takes its place", async () => {
    await usageOf({ system });
    provider.reset();
    expect(await usageOf({ system })).toMatchObject({ short: 100, read: 0 });
    provider.script({ tokens: { prompt: 1000, cached: 300, written5m: 200, written1h: 100 } });
    expect(await usageOf({ system })).toEqual({ fresh: 400, short: 200, long: 100, read: 300 });
  });
});

describe("the usage of a stream", () => {
  type Event = { readonly type: string; readonly [field: string]: unknown };
  const eventsOf = async (behaviour: Behaviour): Promise<readonly Event[]> => {
    provider.script(behaviour);
    const { text } = await send({ ...hello, stream: true });
    return text.split("\n\n").flatMap((event) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = data === undefined ? null : (JSON.parse(data) as Event);
      expect(parsed?.type).toBe(name);
      return parsed === null ? [] : [parsed];
    });
  };

  test("begins with the input and ends with everything so far, but without the lifetimes", async () => {
    const tokens = { prompt: 1000, cached: 300, written1h: 100, completion: 50, reasoning: 20, searches: 2 };
    const events = await eventsOf({ tokens, text: "one two" });
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]).toHaveProperty("message.usage", {
      input_tokens: 600,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 },
      output_tokens: 1,
      service_tier: "standard",
      inference_geo: "not_available",
    });
    expect(events.at(-2)).toHaveProperty("usage", {
      input_tokens: 600,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 300,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    });
  });

  test("can be left out, or differ at the start", async () => {
    const without = await eventsOf({ omitUsage: true });
    expect(JSON.stringify(without)).not.toContain("usage");
    const odd = await eventsOf({ usage: { input_tokens: null }, usageAtStart: { input_tokens: 7 } });
    expect(odd[0]).toHaveProperty("message.usage.input_tokens", 7);
    expect(odd.at(-2)).toHaveProperty("usage.input_tokens", null);
  });

  test("comes with events that a script gives, named by their types", async () => {
    const events = [{ type: "message_start", message: {} }, { type: "message_stop" }];
    expect(await eventsOf({ events })).toEqual(events);
    expect((await eventsOf({ noDone: true })).at(-1)?.type).toBe("message_delta");
  });
});

test("models are listed in the form of the dialect for those who speak it", async () => {
  const list = async (path: string, headers: Record<string, string>): Promise<unknown> =>
    await (await fetch(`${provider.url}${path}`, { headers })).json();
  const { "content-type": _type, ...asking } = usualHeaders;
  expect(await list("/v1/models", asking)).toMatchObject({ has_more: false, data: [{ type: "model" }, {}, {}] });
  expect(await list("/anthropic/v1/models/claude-x", { "x-api-key": "k" })).toMatchObject({ id: "claude-x" });
  expect(await list("/v1/models", { authorization: "Bearer k" })).toMatchObject({ object: "list" });
});

test("a key counts only when it comes in the way that the sandbox was told", async () => {
  const statusOf = async (
    styles: readonly ("api-key" | "x-goog-api-key" | "none")[],
    headers: Record<string, string>,
  ) => {
    const strict = startSandboxProvider({ requiredKey: "right", authStyles: styles });
    try {
      const body = JSON.stringify({ model: "m", messages: hello.messages });
      const answer = await fetch(`${strict.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      await answer.body?.cancel();
      return answer.status;
    } finally {
      await strict.stop();
    }
  };
  expect(await statusOf(["api-key"], { "api-key": "right" })).toBe(200);
  expect(await statusOf(["api-key"], { "api-key": "wrong" })).toBe(401);
  expect(await statusOf(["api-key"], { authorization: "Bearer right" })).toBe(401);
  expect(await statusOf(["x-goog-api-key"], { "x-goog-api-key": "right" })).toBe(200);
  expect(await statusOf(["none"], {})).toBe(200);
  expect(await statusOf(["none"], { authorization: "Bearer right" })).toBe(401);
});
