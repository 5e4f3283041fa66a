import { describe, expect, test } from "bun:test";
import type { ChatMessage } from "@sluice/messages-conversion/chat-completions";
import { toMessagesError } from "@sluice/messages-conversion/errors/to-messages-error";
import { estimateInputTokens } from "@sluice/messages-conversion/estimate-tokens";
import {
  answerTo,
  callPiece,
  chunk,
  convertCall,
  done,
  eventsOf,
  finish,
  foldStream,
  runStream,
  text,
  upstreamBody,
  upstreamMessages,
  wirePiece,
} from "../../support/messages/messages-calls.ts";

/**
 * Bugs that other gateways had, each with the call that showed it. Bugs that are the subject of a rule are tested with
 * that rule, under their number; rule-coverage.test.ts checks that none is missing.
 */

const user = (content: unknown) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const use = (id: string, name = "f", input: object = {}) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
const agentTurn = [
  user("hi"),
  { role: "system", content: [{ type: "text", text: "S2" }] },
  assistant({ type: "text", text: "ok" }),
  user("go"),
];

describe("requests", () => {
  test("B1 a system message within the conversation reaches the upstream, in its place", () => {
    expect(upstreamMessages(agentTurn)[1]).toEqual({ role: "system", content: "S2" });
  });

  test("B2 such a message is not an error, and a template that allows none in the middle gets it as the user's words", () => {
    const roles = upstreamMessages(agentTurn, { mid_system: "user" }).map(({ role }) => role);
    expect(roles).toEqual(["user", "user", "assistant", "user"]);
  });

  test("B3 the messages of the next turn begin with those of this one, byte for byte", () => {
    const system = [{ type: "text", text: "S1", cache_control: { type: "ephemeral" } }];
    const next = [...agentTurn, assistant(use("c1")), user([result("c1", "r")]), { role: "system", content: "S3" }];
    const now = upstreamBody({ system, messages: agentTurn }).messages.map((message) => JSON.stringify(message));
    const then = upstreamBody({ system, messages: next }).messages.map((message) => JSON.stringify(message));
    expect(then.slice(0, now.length)).toEqual(now);
  });

  test("B4 a billing line that changes with every call does not reach the upstream", () => {
    const system = [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1; cch=9f2c1;" },
      { type: "text", text: "A" },
    ];
    expect(JSON.stringify(upstreamBody({ system }))).not.toContain("billing");
  });

  test("B10 type custom does not become the type of the parameters", () => {
    const tools = [{ type: "custom", name: "f", input_schema: { type: "object", properties: {} } }];
    expect(upstreamBody({ tools }).tools?.[0]?.function.parameters["type"]).toBe("object");
  });

  test("B11 an image in a tool result reaches the upstream", () => {
    const messages = [user("go"), assistant(use("c1")), user([result("c1", [image])])];
    expect(JSON.stringify(upstreamMessages(messages))).toContain("data:image/png;base64,AA");
  });

  test('B13 an effort together with tools is sent as "none" to a model that takes no effort with tools', () => {
    const fields = { tools: [{ name: "f", input_schema: {} }], output_config: { effort: "medium" } };
    expect(upstreamBody(fields, { reasoning: true, effort_with_tools: false }).reasoning_effort).toBe("none");
  });

  test("B14 a failed tool, one call at a time, and a PDF reach the upstream", () => {
    const messages = [user("go"), assistant(use("c1")), user([{ ...result("c1", "no"), is_error: true }])];
    const tools = [{ name: "f", input_schema: {} }];
    const body = upstreamBody({ messages, tools, tool_choice: { type: "auto", disable_parallel_tool_use: true } });
    expect(body.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "c1", content: "Error: no" });
    expect(body.parallel_tool_calls).toBe(false);
    const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AA" } };
    expect(JSON.stringify(upstreamMessages([user([pdf])], { files: true }))).not.toContain("image_url");
  });

  test("B20 a single stop sequence is a list", () => {
    expect(upstreamBody({ stop_sequences: ["END"] }).stop).toEqual(["END"]);
  });

  test("B21 text beside a call, an image by its URL, and the tool choice reach the upstream", () => {
    const messages = [
      user([{ type: "image", source: { type: "url", url: "https://x/y.png" } }]),
      assistant({ type: "text", text: "T" }, use("c1")),
      user([result("c1", "r")]),
    ];
    const body = upstreamBody({
      messages,
      tools: [{ name: "f", input_schema: {} }],
      tool_choice: { type: "tool", name: "f" },
    });
    expect(body.messages[0]).toEqual({
      role: "user",
      content: [{ type: "image_url", image_url: { url: "https://x/y.png" } }],
    });
    expect(body.messages[1]).toMatchObject({ content: "T", tool_calls: [{ id: "c1" }] });
    expect(body.tool_choice).toEqual({ type: "function", function: { name: "f" } });
  });

  test("B23 thinking without a signature goes back to a model that insists on it", () => {
    const messages = [
      user("go"),
      assistant({ type: "thinking", thinking: "t", signature: "" }, use("c1")),
      user([result("c1", "r")]),
    ];
    expect(upstreamMessages(messages, { reasoning_history: "keep" })[1]).toMatchObject({ reasoning_content: "t" });
  });

  test("B25 the id of the call is on its result", () => {
    const messages = [user("go"), assistant(use("toolu_abc")), user([result("toolu_abc", "r")])];
    expect(upstreamMessages(messages)[2]).toMatchObject({ tool_call_id: "toolu_abc" });
  });

  test("B26 an assistant message always has content or calls, and every result a call before it", () => {
    const rounds = Array.from({ length: 4 }, (_, round) => [
      assistant({ type: "thinking", thinking: "t", signature: "" }, use(`c${round}a`), use(`c${round}b`)),
      user([result(`c${round}b`, "b"), result(`c${round}a`, "a"), { type: "text", text: "go on" }]),
    ]).flat();
    const messages = upstreamMessages([
      user("go"),
      ...rounds,
      assistant({ type: "thinking", thinking: "t", signature: "" }),
    ]);
    let waiting: string[] = [];
    for (const message of messages) {
      if (message.role === "tool") {
        expect(message.tool_call_id).toBe(waiting.shift() ?? "no call");
      } else {
        expect(waiting).toEqual([]);
      }
      if (message.role === "assistant") {
        expect(message.tool_calls?.length ?? message.content?.length ?? 0).toBeGreaterThan(0);
        waiting = (message.tool_calls ?? []).map(({ id }) => id);
      }
    }
  });

  test("B27 the message with the images of results does not come between the results", () => {
    const messages = [user("go"), assistant(use("c1"), use("c2")), user([result("c1", [image]), result("c2", "r")])];
    expect(upstreamMessages(messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  });

  test("B28 results are tool messages and any is required, whatever the model is called", () => {
    const messages = [user("go"), assistant(use("c1")), user([result("c1", "r")])];
    const body = upstreamBody({
      model: "my-model",
      messages,
      tools: [{ name: "f", input_schema: {} }],
      tool_choice: { type: "any" },
    });
    expect(body.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "c1", content: "r" });
    expect(body.tool_choice).toBe("required");
    expect(
      answerTo(
        { tool_calls: [{ id: "c2", function: { name: "f", arguments: "{}" } }] },
        {},
        { requestedModel: "my-model" },
      ).content,
    ).toEqual([{ type: "tool_use", id: "c2", name: "f", input: {} }]);
  });

  test("B29 B30 text beside results comes after them and is not lost", () => {
    const messages = [user("go"), assistant(use("c1")), user([{ type: "text", text: "note" }, result("c1", "r")])];
    const expected: ChatMessage[] = [
      { role: "tool", tool_call_id: "c1", content: "r" },
      { role: "user", content: "note" },
    ];
    expect(upstreamMessages(messages).slice(2)).toEqual(expected);
  });

  test("B31 tokens are counted for any model, and reported at the start of a stream", () => {
    expect(estimateInputTokens(convertCall({ model: "my-model" }).body)).toBeGreaterThan(0);
    expect(runStream([text("a")]).events[0]).toMatchObject({ message: { usage: { input_tokens: 7 } } });
  });

  test("B33 stream is always a boolean", () => {
    expect(upstreamBody({ stream: true }).stream).toBe(true);
  });
});

describe("responses", () => {
  test("B5 B6 a stream has one start, and thinking in a separate block", () => {
    const inputs = [
      chunk({ role: "assistant" }),
      chunk({ reasoning_content: "t" }),
      chunk({ role: "assistant", content: "a" }),
      finish("stop"),
      done,
    ];
    expect(foldStream(inputs, { wantsThinking: true }).content).toEqual([
      { type: "thinking", thinking: "t", signature: "" },
      { type: "text", text: "a" },
    ]);
  });

  test("B7 an empty list of calls beside text is text", () => {
    expect(eventsOf([chunk({ content: "a", tool_calls: [] })]).at(-1)).toMatchObject({
      delta: { type: "text_delta", text: "a" },
    });
  });

  test("B8 B24 arguments in the chunk that opens the call are kept", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f", arguments: '{"path":"a"}' }),
      finish("tool_calls"),
      done,
    ];
    expect(foldStream(inputs).content).toEqual([{ type: "tool_use", id: "c1", name: "f", input: { path: "a" } }]);
  });

  test("B15 a repeated name is not a second call, and arguments in the last chunk are kept", () => {
    const last = chunk(
      { tool_calls: [wirePiece({ index: 0, name: "f", arguments: ":1}" })] },
      { finish_reason: "tool_calls" },
    );
    const inputs = [callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }), last, done];
    expect(foldStream(inputs).content).toEqual([{ type: "tool_use", id: "c1", name: "f", input: { a: 1 } }]);
  });

  test("B18 missing usage does not block the end", () => {
    expect(
      eventsOf([text("a"), finish("stop"), done])
        .slice(-3)
        .map(({ type }) => type),
    ).toEqual(["content_block_stop", "message_delta", "message_stop"]);
  });

  test("B19 parallel calls are blocks one after the other", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f", arguments: "{" }),
      callPiece({ index: 1, id: "c2", name: "g", arguments: "{" }),
      callPiece({ index: 0, arguments: "}" }),
      callPiece({ index: 1, arguments: "}" }),
      finish("tool_calls"),
      done,
    ];
    expect(foldStream(inputs)).toMatchObject({
      content: [
        { id: "c1", input: {} },
        { id: "c2", input: {} },
      ],
      stop_reason: "tool_use",
    });
  });

  test("B22 a full context is reported in the words that clients act on", () => {
    const body = {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, you requested 164000 tokens (100000 in the messages, 64000 in the completion).",
        code: "context_length_exceeded",
      },
    };
    const error = toMessagesError(
      { status: 400, body, origin: "upstream" },
      { requestedModel: "m", upstreamModel: "u", maxTokens: 64_000 },
    );
    expect(error.message).toMatch(/input length and `max_tokens` exceed context limit: 100000 \+ 64000 > 128000/);
  });

  test("B27 the first chunk's content counts, and invalid arguments are not a failure", () => {
    expect(foldStream([chunk({ role: "assistant", content: "a" }), text("b"), finish("stop"), done]).content).toEqual([
      { type: "text", text: "ab" },
    ]);
    const bad = answerTo({ tool_calls: [{ id: "c1", function: { name: "f", arguments: "ls -l" } }] });
    expect(bad.content).toEqual([{ type: "tool_use", id: "c1", name: "f", input: { _raw: "ls -l" } }]);
  });

  test("B32 usage is always there, and a run of text is one block", () => {
    const events = eventsOf([text("a"), text("b"), finish("stop"), done]);
    expect(events.filter(({ type }) => type === "content_block_start")).toHaveLength(1);
    expect(answerTo({ content: "a" }).usage.input_tokens).toBe(0);
  });

  test("B34 empty arguments are an empty object", () => {
    expect(
      foldStream([callPiece({ index: 0, id: "c1", name: "f", arguments: "" }), finish("tool_calls"), done]).content,
    ).toEqual([{ type: "tool_use", id: "c1", name: "f", input: {} }]);
  });
});
