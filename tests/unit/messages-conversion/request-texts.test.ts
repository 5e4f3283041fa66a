import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import {
  modelLookupName,
  readMessagesRequest,
  unknownModel,
} from "@sluice/messages-conversion/request/from-messages-request";
import { refusalOf, refusedCall, upstreamBody, upstreamMessages } from "../../support/messages/messages-calls.ts";

const system = (content: string): ChatMessage => ({ role: "system", content });
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

describe("R1 model", () => {
  test("R1 the mapped name goes upstream", () => {
    expect(upstreamBody({ model: "claude-x" }).model).toBe("upstream-model");
  });

  test("R1 a suffix for a long context is not part of the name that is looked up", () => {
    expect(modelLookupName("claude-x[1m]")).toBe("claude-x");
    expect(modelLookupName("claude-x")).toBe("claude-x");
    expect(modelLookupName("claude[1m]-x")).toBe("claude[1m]-x");
  });

  test("R1 an unknown model is a 404 that names it", () => {
    expect(unknownModel("foo")).toMatchObject({ status: 404, type: "not_found_error", message: "model: foo" });
  });
});

describe("R2 system", () => {
  const billing = { type: "text", text: "x-anthropic-billing-header: cc_version=2.1; cch=1f3e;" };

  test.each<[string, unknown, string | null]>([
    ["R2 a text is the first message", "S", "S"],
    ["R2 an empty text is not a message", "", null],
    ["R2 an empty list is not a message", [], null],
    ["R2 null is not a message", null, null],
    [
      "R2 blocks are joined by an empty line",
      [
        { type: "text", text: "A", cache_control: { type: "ephemeral" } },
        { type: "text", text: "B" },
      ],
      "A\n\nB",
    ],
    [
      "R2 F5 the billing block is left out",
      [billing, { type: "text", text: "A" }, { type: "text", text: "B" }],
      "A\n\nB",
    ],
    ["R2 billing alone is not a message", [billing], null],
    [
      "R2 empty blocks leave no gap",
      [
        { type: "text", text: "A" },
        { type: "text", text: "" },
        { type: "text", text: "B" },
      ],
      "A\n\nB",
    ],
    [
      "R2 in a plain text only the billing line is left out",
      "x-anthropic-billing-header: a=1\n\nYou are kind.",
      "You are kind.",
    ],
  ])("%s", (_rule, given, expected) => {
    const first = expected === null ? [] : [system(expected)];
    expect(upstreamBody({ system: given }).messages).toEqual([...first, user("hi")]);
  });

  test("R2 a block that is not text is refused with its path", () => {
    expect(refusedCall({ system: [{ type: "text", text: "A" }, { type: "image" }] })).toMatchObject({
      status: 400,
      message: "system.1: only text blocks are supported here",
    });
  });
});

describe("R3 system in the middle", () => {
  const talk = [
    { role: "user", content: "hi" },
    { role: "system", content: "S2" },
    { role: "assistant", content: "ok" },
    { role: "user", content: "go" },
  ];
  const use = { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "r" }] };

  test.each<[string, Partial<ModelFlags>, ChatMessage[]]>([
    ["R3 F4 a system message keeps its place", {}, [user("hi"), system("S2"), assistant("ok"), user("go")]],
    [
      "R3 mid_system=user makes it a message of the user",
      { mid_system: "user" },
      [user("hi"), user("<system-reminder>\nS2\n</system-reminder>"), assistant("ok"), user("go")],
    ],
    [
      "R3 mid_system=hoist moves it to the front",
      { mid_system: "hoist" },
      [system("S2"), user("hi"), assistant("ok"), user("go")],
    ],
  ])("%s", (_rule, flags, expected) => {
    expect(upstreamMessages(talk, flags)).toEqual(expected);
  });

  test("R3 hoisted texts follow the system prompt in one message", () => {
    const messages = [
      ...talk,
      {
        role: "system",
        content: [
          { type: "text", text: "S3" },
          { type: "text", text: "S4" },
        ],
      },
    ];
    expect(upstreamBody({ system: "S1", messages }, { mid_system: "hoist" }).messages[0]).toEqual(
      system("S1\n\nS2\n\nS3\n\nS4"),
    );
  });

  test("R3 mid_system=refuse is refused with the sentence that clients know", () => {
    expect(refusedCall({ messages: talk }, { mid_system: "refuse" })).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: "role 'system' is not supported on this model",
    });
  });

  test("R3 a system message between calls and results follows the last result", () => {
    const messages = [talk[0], use, { role: "system", content: "S2" }, result];
    expect(upstreamMessages(messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "system"]);
  });

  test("R3 an empty system message has no effect", () => {
    expect(upstreamMessages([talk[0], { role: "system", content: "" }, talk[2], talk[3]])).toHaveLength(3);
  });
});

describe("R4 texts", () => {
  const block = (text: string, more: JsonObject = {}): JsonObject => ({ type: "text", text, ...more });

  test.each<[string, unknown, ChatMessage | null]>([
    ["R4 a text stays a text", "a", user("a")],
    ["R4 a single block becomes a text", [block("a", { cache_control: { type: "ephemeral" } })], user("a")],
    [
      "R4 several blocks become parts without cache markers and citations",
      [block("a", { cache_control: {} }), block("b", { citations: [] })],
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
    ["R4 empty blocks are left out", [block(""), block("a"), block("")], user("a")],
    ["R4 a message left empty is left out", [block("")], null],
    ["R4 an empty text is left out", "", null],
    ["R25 texts among the blocks are text blocks", ["a"], user("a")],
    [
      "R25 texts and blocks can be mixed",
      ["a", block("b")],
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
  ])("%s", (_rule, content, expected) => {
    const messages = [
      { role: "user", content },
      { role: "assistant", content: "ok" },
    ];
    expect(upstreamMessages(messages)).toEqual(expected === null ? [assistant("ok")] : [expected, assistant("ok")]);
  });

  test("R4 assistant blocks are joined into one text", () => {
    const content = [block("a"), block(""), block("b", { citations: [{ type: "char_location" }] }), "c"];
    expect(
      upstreamMessages([
        { role: "user", content: "hi" },
        { role: "assistant", content },
      ]),
    ).toEqual([user("hi"), assistant("abc")]);
  });

  test("R4 an empty conversation is refused", () => {
    expect(refusedCall({ messages: [{ role: "user", content: "" }] })).toMatchObject({
      message: "messages: at least one message must have content",
    });
  });
});

describe("R24 turns", () => {
  const talk = [
    { role: "user", content: "a" },
    { role: "user", content: [{ type: "text", text: "b" }] },
    { role: "assistant", content: "c" },
    { role: "assistant", content: "d" },
  ];

  test("R24 a prefilled response is passed as the last message", () => {
    expect(
      upstreamMessages([
        { role: "user", content: "a" },
        { role: "assistant", content: "{" },
      ]).at(-1),
    ).toEqual(assistant("{"));
  });

  test("R24 messages of the same role stay separate", () => {
    expect(upstreamMessages(talk)).toEqual([user("a"), user("b"), assistant("c"), assistant("d")]);
  });

  test("R24 merge=true joins messages of the same role", () => {
    expect(upstreamMessages(talk, { merge: true })).toEqual([user("a\n\nb"), assistant("cd")]);
  });

  test("R24 merge=true keeps parts, calls and results separate from each other", () => {
    const image = { type: "image", source: { type: "url", url: "https://x/y.png" } };
    const messages = [
      { role: "user", content: [image] },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "c" },
          { type: "tool_use", id: "c1", name: "f", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "r" },
          { type: "text", text: "d" },
        ],
      },
      { role: "user", content: "e" },
    ];
    expect(upstreamMessages(messages, { merge: true })).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://x/y.png" } },
          { type: "text", text: "a" },
        ],
      },
      {
        role: "assistant",
        content: "bc",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "r" },
      user("d\n\ne"),
    ]);
  });

  test("R24 assistant messages that call tools are one, so that every result comes after its call", () => {
    const call = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] });
    const result = (id: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: id }] });
    const messages = [{ role: "user", content: "a" }, call("c1"), call("c2"), result("c2"), result("c1")];
    const [, spoken, ...results] = upstreamMessages(messages);
    expect(spoken).toMatchObject({ role: "assistant", tool_calls: [{ id: "c1" }, { id: "c2" }] });
    expect(results).toEqual([
      { role: "tool", tool_call_id: "c1", content: "c1" },
      { role: "tool", tool_call_id: "c2", content: "c2" },
    ]);
  });
});

describe("R25 the outermost fields", () => {
  const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "a" }] };
  const without = (field: string) => Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

  test.each<[string, unknown, string]>([
    ["R25 the body is an object", [], "The request body is not a JSON object."],
    ["R1 the model is required", without("model"), "model: Field required"],
    ["R1 the model is a text", { ...body, model: 1 }, "model: Input should be a valid string"],
    ["R15 max_tokens is required", without("max_tokens"), "max_tokens: Field required"],
    ["R25 messages are required", without("messages"), "messages: Field required"],
    ["R25 messages are a list", { ...body, messages: {} }, "messages: Input should be a valid list"],
    ["R25 there is at least one message", { ...body, messages: [] }, "messages: at least one message is required"],
    ["R19 stream is a boolean", { ...body, stream: "true" }, "stream: Input should be a valid boolean"],
  ])("%s", (_rule, given, message) => {
    expect(refusalOf(() => readMessagesRequest(given))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message,
    });
  });

  test.each<[string, unknown, string]>([
    ["R25 a message is an object", "hi", "messages.1: Input should be an object"],
    ["R25 a role is required", { content: "a" }, "messages.1.role: Field required"],
    [
      "R25 no other roles",
      { role: "tool", content: "a" },
      "messages.1.role: Input should be 'user', 'assistant' or 'system'",
    ],
    ["R25 content is required", { role: "user" }, "messages.1.content: Field required"],
    [
      "R25 content is a text or a list",
      { role: "user", content: {} },
      "messages.1.content: Input should be a valid string or list",
    ],
    ["R25 a block is an object", { role: "user", content: [7] }, "messages.1.content.0: Input should be an object"],
    ["R25 a block has a type", { role: "user", content: [{}] }, "messages.1.content.0.type: Field required"],
    [
      "R25 a block of an unknown type",
      { role: "user", content: [{ type: "container_upload" }] },
      "messages.1.content.0: container_upload blocks are not supported here",
    ],
    [
      "R4 a text block has a text",
      { role: "user", content: [{ type: "text" }] },
      "messages.1.content.0.text.text: Field required",
    ],
  ])("%s", (_rule, message, expected) => {
    expect(refusedCall({ messages: [{ role: "user", content: "a" }, message] }).message).toBe(expected);
  });
});
