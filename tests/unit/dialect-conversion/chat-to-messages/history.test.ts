import { describe, expect, test } from "bun:test";
import { messagesBody, refusedParam, turnsOf } from "../../../support/conversion/chat-to-messages.ts";

const user = (content: string) => ({ role: "user", content });
const spoken = (content: string) => ({ role: "assistant", content });
const call = (id: string, name = "f", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calls = (...list: unknown[]) => ({ role: "assistant", content: null, tool_calls: list });
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });

const text = (value: string) => ({ type: "text", text: value });
const use = (id: string, input: object = {}, name = "f") => ({ type: "tool_use", id, name, input });
const given = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const byUser = (...content: unknown[]) => ({ role: "user", content });
const byAssistant = (...content: unknown[]) => ({ role: "assistant", content });
const bySystem = (...content: unknown[]) => ({ role: "system", content });

describe("turns of system and developer", () => {
  test("are the system prompt while nothing else was said", () => {
    const messages = [
      { role: "system", content: "A" },
      { role: "developer", content: [text("B"), text(" \n")] },
      user("hi"),
    ];
    const body = messagesBody({ messages });
    expect(body.system).toEqual([text("A"), text("B")]);
    expect(body.messages).toEqual([byUser(text("hi"))]);
  });

  test("stay where they are as text of the user", () => {
    const messages = [user("a"), { role: "system", content: "S" }, user("b"), spoken("c"), user("d")];
    expect(turnsOf(messages)).toEqual([
      byUser(text("a"), text("<system-reminder>\nS\n</system-reminder>"), text("b")),
      byAssistant(text("c")),
      byUser(text("d")),
    ]);
  });

  test("stay turns of their own where the model takes them, right after the user", () => {
    const system = (value: string) => ({ role: "developer", content: value });
    const messages = [user("a"), system("S1"), user("b"), system("S2"), system("S3"), spoken("c"), system("S4")];
    expect(turnsOf(messages, { systemTurns: true })).toEqual([
      byUser(text("a"), text("<system-reminder>\nS1\n</system-reminder>"), text("b")),
      bySystem(text("S2"), text("S3")),
      byAssistant(text("c")),
      byUser(text("<system-reminder>\nS4\n</system-reminder>")),
    ]);
  });

  test("come after the results of the calls before them", () => {
    const messages = [user("a"), calls(call("c1")), { role: "system", content: "S" }, result("c1", "r")];
    expect(turnsOf(messages)).toEqual([
      byUser(text("a")),
      byAssistant(use("c1")),
      byUser(given("c1", "r"), text("<system-reminder>\nS\n</system-reminder>")),
    ]);
    expect(turnsOf(messages, { systemTurns: true })).toEqual([
      byUser(text("a")),
      byAssistant(use("c1")),
      byUser(given("c1", "r")),
      bySystem(text("S")),
    ]);
  });

  test("alone are a prompt to begin with", () => {
    const body = messagesBody({ messages: [{ role: "system", content: "S" }] });
    expect(body.system).toEqual([text("S")]);
    expect(body.messages).toEqual([byUser(text("Begin."))]);
  });
});

describe("the order of roles", () => {
  test("neighbours of one role are one turn", () => {
    expect(turnsOf([user("a"), user("b"), spoken("c"), spoken("d"), user("e")])).toEqual([
      byUser(text("a"), text("b")),
      byAssistant(text("c"), text("d")),
      byUser(text("e")),
    ]);
  });

  test("begins and ends with the user", () => {
    expect(turnsOf([spoken("Hello!")])).toEqual([
      byUser(text("Begin.")),
      byAssistant(text("Hello!")),
      byUser(text("Continue.")),
    ]);
  });

  test("leaves out texts that are blank, and messages of nothing else", () => {
    const messages = [
      user("a"),
      spoken(""),
      user(" \n"),
      spoken("\n"),
      { role: "user", content: [text(""), text("b")] },
    ];
    expect(turnsOf(messages)).toEqual([byUser(text("a"), text("b"))]);
  });

  test("needs something that was said", () => {
    expect(refusedParam({ messages: [] })).toBe("messages");
    expect(refusedParam({ messages: [user(" ")] })).toBe("messages");
  });
});

describe("results of tools", () => {
  test("come in one turn, in the order of the calls, before the text", () => {
    const messages = [user("a"), calls(call("c1"), call("c2")), result("c2", "r2"), user("b"), result("c1", "r1")];
    expect(turnsOf(messages)).toEqual([
      byUser(text("a")),
      byAssistant(use("c1"), use("c2")),
      byUser(given("c1", "r1"), given("c2", "r2"), text("b")),
    ]);
  });

  test("may be empty, of parts, and with images", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } };
    const parts = [text("r"), image];
    expect(turnsOf([calls(call("c1"), call("c2")), result("c1", ""), result("c2", parts)])).toEqual([
      byUser(text("Begin.")),
      byAssistant(use("c1"), use("c2")),
      byUser(
        { type: "tool_result", tool_use_id: "c1" },
        given("c2", [text("r"), { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } }]),
      ),
    ]);
  });

  test("of the same call replace each other", () => {
    expect(turnsOf([user("a"), calls(call("c1")), result("c1", "old"), result("c1", "new")])).toEqual([
      byUser(text("a")),
      byAssistant(use("c1")),
      byUser(given("c1", "new")),
    ]);
  });

  test("without a call are refused by name", () => {
    expect(refusedParam({ messages: [user("a"), result("c1", "r")] })).toBe("messages[1].tool_call_id");
    const later = [user("a"), calls(call("c1")), result("c1", "r"), spoken("b"), result("c1", "r")];
    expect(refusedParam({ messages: later })).toBe("messages[4].tool_call_id");
  });

  test("are needed for every call", () => {
    const messages = [user("a"), calls(call("c1"), call("c2")), result("c1", "r")];
    expect(refusedParam({ messages })).toBe("messages[1].tool_calls[1].id");
    expect(refusedParam({ messages: [...messages, spoken("b"), result("c2", "r")] })).toBe(
      "messages[1].tool_calls[1].id",
    );
  });
});

describe("calls in the history", () => {
  test.each([
    ["an object", '{"a":1}', { a: 1 }],
    ["nothing", "", {}],
    ["white space", " \n", {}],
    ["null", "null", {}],
  ])("have %s as input", (_what, args, input) => {
    expect(turnsOf([user("a"), calls(call("c1", "f", args)), result("c1", "r")])).toContainEqual(
      byAssistant(use("c1", input)),
    );
  });

  test.each(['{"a":', "[1]", "7", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`])(
    "with arguments that are not an object keep them as text",
    (args) => {
      expect(turnsOf([user("a"), calls(call("c1", "f", args)), result("c1", "r")])).toContainEqual(
        byAssistant(text(`The arguments of the next call were not a JSON object: ${args}`), use("c1")),
      );
    },
  );

  test("get ids that the upstream accepts, each once and always the same", () => {
    const turn = [calls(call("call:0"), call("call:0")), result("call:0", "r1"), result("call:0", "r2")];
    const once = turnsOf([user("a"), ...turn]) as { content: { id: string }[] }[];
    const twice = turnsOf([user("a"), ...turn, ...turn]) as { content: { id: string; tool_use_id: string }[] }[];
    expect<unknown>(twice.slice(0, 3)).toEqual(once);
    const ids = [twice[1], twice[3]].flatMap((entry) => entry?.content.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id ?? ""))).toBe(true);
    expect<unknown>(twice[2]?.content).toEqual([given(ids[0] ?? "", "r1"), given(ids[1] ?? "", "r2")]);
  });

  test("follow the text of their message", () => {
    const messages = [user("a"), { ...calls(call("c1")), content: "T" }, result("c1", "r")];
    expect(turnsOf(messages)).toContainEqual(byAssistant(text("T"), use("c1")));
  });

  test("keep the tools named that they are of", () => {
    const body = messagesBody({ messages: [user("a"), calls(call("c1", "look.up")), result("c1", "r")] });
    const { tools = [], messages } = body;
    expect(tools).toEqual([
      { name: expect.stringMatching(/^look_up_[0-9a-f]{8}$/), input_schema: { type: "object", properties: {} } },
    ]);
    expect(body.tool_choice).toEqual({ type: "none" });
    expect(messages[1]?.content).toEqual([use("c1", {}, tools[0]?.name)]);
  });
});

describe("thinking in the history", () => {
  const detail = (id: string, value: string, signature?: string) => ({
    ...{ type: "reasoning.text", id, format: "anthropic-claude-v1", index: 0, text: value },
    ...(signature === undefined ? {} : { signature }),
  });
  const thinking = (value: string, signature: string) => ({ type: "thinking", thinking: value, signature });
  const answer = (fields: object) => [user("a"), { ...calls(call("c1")), content: "T", ...fields }, result("c1", "r")];

  test("returns with its signature, before the rest", () => {
    const details = [detail("block_0", "why", "sig"), { type: "reasoning.encrypted", data: "secret" }];
    expect(turnsOf(answer({ reasoning_details: details }))).toContainEqual(
      byAssistant(thinking("why", "sig"), { type: "redacted_thinking", data: "secret" }, text("T"), use("c1")),
    );
  });

  test("returns to its place among the other blocks", () => {
    const details = [detail("block_0", "x", "s1"), detail("block_2", "", "s2"), detail("block_99", "z", "s3")];
    expect(turnsOf(answer({ reasoning_details: details }))).toContainEqual(
      byAssistant(thinking("x", "s1"), text("T"), thinking("", "s2"), thinking("z", "s3"), use("c1")),
    );
  });

  test("alone is left out, because a turn can't end with it", () => {
    const alone = { role: "assistant", content: "", reasoning_details: [detail("block_0", "x", "s")] };
    expect(turnsOf([user("a"), alone, user("b")])).toEqual([byUser(text("a"), text("b"))]);
  });

  test("is read in the other form that clients know", () => {
    const blocks = [thinking("why", "sig"), { type: "redacted_thinking", data: "secret" }, thinking("unsigned", "")];
    expect(turnsOf(answer({ thinking_blocks: blocks }))).toContainEqual(
      byAssistant(thinking("why", "sig"), { type: "redacted_thinking", data: "secret" }, text("T"), use("c1")),
    );
  });

  test("is left out without a signature, of another provider, and for a model that does not think", () => {
    const foreign = { type: "reasoning.encrypted", data: "x", format: "openai-responses-v1" };
    const summary = { type: "reasoning.summary", summary: "x" };
    const unsigned = turnsOf(answer({ reasoning_details: [detail("block_0", "x"), foreign, summary] }));
    expect(unsigned).toContainEqual(byAssistant(text("T"), use("c1")));
    const plain = turnsOf(answer({ reasoning_details: [detail("block_0", "x", "s")] }), { thinking: "none" });
    expect(plain).toContainEqual(byAssistant(text("T"), use("c1")));
  });
});

describe("marks of the cache", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const hourMark = { cache_control: { type: "ephemeral", ttl: "1h" } };

  test("are accepted on parts, messages and tools", () => {
    const definition = { name: "f", parameters: { type: "object" } };
    const body = messagesBody({
      messages: [
        { role: "system", content: [{ ...text("S"), ...hourMark }] },
        { role: "user", content: [text("a"), text("b")], ...mark },
        { ...calls(call("c1")), content: "T", ...mark },
        { ...result("c1", [{ ...text("r"), ...mark }]) },
      ],
      tools: [{ type: "function", function: definition, ...mark }],
    });
    expect(body.system).toEqual([{ ...text("S"), ...hourMark }]);
    expect(body.messages).toEqual([
      byUser(text("a"), { ...text("b"), ...mark }),
      byAssistant(text("T"), { ...use("c1"), ...mark }),
      byUser({ ...given("c1", "r"), ...mark }),
    ]);
    expect(body.tools).toEqual([{ name: "f", input_schema: { type: "object" }, ...mark }]);
    expect(body.cache_control).toBeUndefined();
  });

  test("are set for conversations by flag, unless the client sets its own", () => {
    const conversation = [user("a"), spoken("b"), user("c")];
    const flags = { automaticCaching: true };
    expect(messagesBody({ messages: conversation }, flags).cache_control).toEqual({ type: "ephemeral" });
    expect(messagesBody({ messages: conversation }).cache_control).toBeUndefined();
    expect(messagesBody({ messages: [user("a")] }, flags).cache_control).toBeUndefined();
    const marked = [{ role: "user", content: [{ ...text("a"), ...mark }] }, spoken("b"), user("c")];
    expect(messagesBody({ messages: marked }, flags).cache_control).toBeUndefined();
    expect(messagesBody({ messages: conversation, ...hourMark }, flags).cache_control).toEqual(hourMark.cache_control);
  });
});
