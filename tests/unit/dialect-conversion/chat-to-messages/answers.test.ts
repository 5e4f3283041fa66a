import { describe, expect, test } from "bun:test";
import { ConversionError, type JsonObject } from "@sluice/dialect-conversion/model";
import { chunksOf, convertChat } from "../../../support/conversion/chat-to-messages.ts";

const usage = { input_tokens: 20, cache_read_input_tokens: 300, cache_creation_input_tokens: 4_000, output_tokens: 50 };
const message = (content: unknown[], fields: object = {}) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-upstream", content },
  ...{ stop_reason: "end_turn", stop_sequence: null, usage, ...fields },
});
const text = (value: string, fields: object = {}) => ({ type: "text", text: value, ...fields });
const whole = (answer: JsonObject): JsonObject => convertChat({}).answers.whole(answer);
const choiceOf = (answer: JsonObject) =>
  (answer["choices"] as { message: JsonObject; finish_reason: unknown; delta: JsonObject }[])[0];

describe("a whole response", () => {
  test("has the client's model, the text and all counts", () => {
    const details = { output_tokens_details: { thinking_tokens: 30 } };
    expect(whole(message([text("A"), text("B")], { usage: { ...usage, ...details } }))).toEqual({
      id: "chatcmpl-id1000000000000000000000",
      object: "chat.completion",
      created: 1_790_000_000,
      model: "sold-name",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "AB", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 4_320,
        completion_tokens: 50,
        total_tokens: 4_370,
        prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 4_000 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    });
  });

  test("gives thinking to read, and to give back", () => {
    const content = [
      { type: "thinking", thinking: "why", signature: "s1" },
      text("T"),
      { type: "redacted_thinking", data: "secret" },
      { type: "thinking", thinking: "", signature: "s2" },
    ];
    const format = "anthropic-claude-v1";
    expect(choiceOf(whole(message(content)))?.message).toEqual({
      role: "assistant",
      content: "T",
      refusal: null,
      reasoning_content: "why",
      reasoning_details: [
        { type: "reasoning.text", id: "block_0", format, index: 0, text: "why", signature: "s1" },
        { type: "reasoning.encrypted", id: "block_2", format, index: 1, data: "secret" },
        { type: "reasoning.text", id: "block_3", format, index: 2, text: "", signature: "s2" },
      ],
    });
  });

  test("has the calls, each with arguments as JSON", () => {
    const content = [
      { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
      { type: "tool_use", name: "g", input: null },
    ];
    const choice = choiceOf(whole(message(content, { stop_reason: "tool_use" })));
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message).toEqual({
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [
        { id: "toolu_1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
        { id: expect.stringMatching(/^call_/), type: "function", function: { name: "g", arguments: "{}" } },
      ],
    });
  });

  test("names the addresses that a text cites", () => {
    const citations = [
      { type: "web_search_result_location", url: "https://a.example", title: "A", cited_text: "x" },
      { type: "search_result_location", source: "https://b.example", title: null },
      { type: "search_result_location", source: "notes", title: "N" },
      { type: "char_location", document_index: 0 },
      null,
    ];
    const annotation = (url: string, title: string) => ({
      type: "url_citation",
      url_citation: { url, title, start_index: 2, end_index: 5 },
    });
    expect(choiceOf(whole(message([text("ab"), text("cde", { citations })])))?.message["annotations"]).toEqual([
      annotation("https://a.example", "A"),
      annotation("https://b.example", "https://b.example"),
    ]);
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "content_filter"],
    ["something_new", "stop"],
    [null, "stop"],
  ])("that ended with %p finished with %p", (stopReason, finishReason) => {
    expect(choiceOf(whole(message([], { stop_reason: stopReason })))?.finish_reason).toBe(finishReason);
  });

  test("says why the model refused", () => {
    const fields = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: "no" } };
    expect(choiceOf(whole(message([], fields)))?.message).toEqual({ role: "assistant", content: "", refusal: "no" });
  });

  test("counts what was written to the cache by its lifetimes, if only they are known", () => {
    const written = { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } };
    const counts = { input_tokens: 1, cache_creation_input_tokens: null, output_tokens: 2, ...written };
    expect(whole(message([], { usage: counts }))["usage"]).toMatchObject({ prompt_tokens: 8, total_tokens: 10 });
  });

  test("without counts reports none", () => {
    expect(whole(message([], { usage: null }))["usage"]).toBeUndefined();
  });

  test("ignores blocks that are new to us", () => {
    const content = [
      { type: "server_tool_use", id: "x" },
      7,
      text("T"),
      { type: "text", text: 7 },
      { type: "thinking" },
    ];
    expect(choiceOf(whole(message(content)))?.message).toEqual({ role: "assistant", content: "T", refusal: null });
  });

  test.each([[{}], [{ error: { message: "x" } }], [{ content: "text" }]])(
    "is refused if it is not a message: %j",
    (answer) => {
      expect(() => whole(answer)).toThrow(ConversionError);
    },
  );
});

describe("a stream", () => {
  const start = { type: "message_start", message: { ...message([]), usage: { ...usage, output_tokens: 1 } } };
  const opened = (index: number, block: object) => ({ type: "content_block_start", index, content_block: block });
  const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const said = (index: number, value: string) => delta(index, { type: "text_delta", text: value });
  const closed = (index: number) => ({ type: "content_block_stop", index });
  const ended = (reason: string | null, counts: object = { output_tokens: 50 }, fields: object = {}) => ({
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null, ...fields },
    usage: counts,
  });
  const stop = { type: "message_stop" };
  const chunks = (events: readonly JsonObject[], request: JsonObject = {}): JsonObject[] =>
    chunksOf(convertChat({ stream: true, ...request }), events);
  const deltas = (events: readonly JsonObject[]): unknown[] => chunks(events).map((chunk) => choiceOf(chunk)?.delta);

  test("is the role, the text, the reason of the end", () => {
    const events = [
      start,
      opened(0, text("")),
      { type: "ping" },
      said(0, "He"),
      said(0, "y"),
      closed(0),
      ended("end_turn"),
    ];
    const head = {
      id: "chatcmpl-id1000000000000000000000",
      object: "chat.completion.chunk",
      created: 1_790_000_000,
      model: "sold-name",
    };
    const chunk = (fields: object, reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: reason }],
    });
    expect(chunks([...events, stop])).toEqual([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "He" }),
      chunk({ content: "y" }),
      chunk({}, "stop"),
    ]);
  });

  test("ends with the counts if the client asked for them, cumulative and with gaps", () => {
    const events = [
      start,
      ended(null, { output_tokens: 10, input_tokens: null, output_tokens_details: { thinking_tokens: 7 } }),
      ended("end_turn", { output_tokens: 50, cache_read_input_tokens: 301, output_tokens_details: null }),
    ];
    const all = chunks(events, { stream_options: { include_usage: true } });
    expect(all.slice(0, -1).every((chunk) => chunk["usage"] === null)).toBe(true);
    expect(all.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 4_321,
        completion_tokens: 50,
        total_tokens: 4_371,
        prompt_tokens_details: { cached_tokens: 301, cache_write_tokens: 4_000 },
        completion_tokens_details: { reasoning_tokens: 7 },
      },
    });
    expect(chunks(events).some((chunk) => "usage" in chunk)).toBe(false);
  });

  test("numbers calls among calls, and gives each arguments", () => {
    const json = (index: number, value: string) => delta(index, { type: "input_json_delta", partial_json: value });
    const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "f", input });
    const call = (index: number, id: string) => ({
      tool_calls: [{ index, id, type: "function", function: { name: "f", arguments: "" } }],
    });
    const args = (index: number, value: string) => ({ tool_calls: [{ index, function: { arguments: value } }] });
    const events = [
      ...[start, opened(0, { type: "thinking", thinking: "", signature: "" }), closed(0)],
      ...[opened(1, text("")), said(1, "T"), closed(1)],
      ...[opened(2, use("a")), json(2, ""), json(2, '{"x"'), json(2, ":1}"), closed(2)],
      ...[opened(3, use("b")), json(3, ""), closed(3), opened(4, use("c", { y: 2 })), ended("tool_use"), stop],
    ];
    expect(deltas(events)).toEqual([
      { role: "assistant", content: "" },
      { content: "T" },
      ...[call(0, "a"), args(0, '{"x"'), args(0, ":1}")],
      ...[call(1, "b"), args(1, "{}"), call(2, "c"), args(2, '{"y":2}')],
      {},
    ]);
    expect(choiceOf(chunks(events).at(-1) ?? {})?.finish_reason).toBe("tool_calls");
  });

  test("shows thinking as it comes, and gives it back when it is signed", () => {
    const events = [
      ...[start, opened(0, { type: "thinking", thinking: "", signature: "" })],
      ...[delta(0, { type: "thinking_delta", thinking: "wh" }), delta(0, { type: "thinking_delta", thinking: "y" })],
      ...[delta(0, { type: "signature_delta", signature: "sig" }), closed(0)],
      ...[opened(1, { type: "redacted_thinking", data: "secret" }), closed(1), ended("end_turn")],
    ];
    const format = "anthropic-claude-v1";
    expect(deltas(events).slice(1)).toEqual([
      { reasoning_content: "wh" },
      { reasoning_content: "y" },
      {
        reasoning_details: [{ type: "reasoning.text", id: "block_0", format, index: 0, text: "why", signature: "sig" }],
      },
      { reasoning_details: [{ type: "reasoning.encrypted", id: "block_1", format, index: 1, data: "secret" }] },
      {},
    ]);
  });

  test("names the addresses that a text cites at its end", () => {
    const citation = { type: "web_search_result_location", url: "https://a.example", title: "A" };
    const events = [
      ...[start, opened(0, text("ab")), closed(0), opened(1, text("", { citations: null }))],
      ...[delta(1, { type: "citations_delta", citation }), said(1, "cde"), closed(1)],
    ];
    expect(deltas(events)).toContainEqual({
      annotations: [
        { type: "url_citation", url_citation: { url: "https://a.example", title: "A", start_index: 2, end_index: 5 } },
      ],
    });
  });

  test("says why the model refused", () => {
    const events = [start, ended("refusal", {}, { stop_details: { explanation: "no" } })];
    expect(deltas(events)).toEqual([{ role: "assistant", content: "" }, { refusal: "no" }, {}]);
    expect(choiceOf(chunks(events).at(-1) ?? {})?.finish_reason).toBe("content_filter");
  });

  test("is complete even if the upstream leaves the frame out", () => {
    expect(deltas([said(0, "T")])).toEqual([{ role: "assistant", content: "T" }, {}]);
    expect(deltas([])).toEqual([{ role: "assistant" }]);
    expect(choiceOf(chunks([]).at(-1) ?? {})?.finish_reason).toBe("stop");
  });

  test("ignores what is new to us or malformed", () => {
    const events = [
      ...[start, start, { type: "new" }, {}, { type: "content_block_start" }, opened(0, { type: "new" })],
      ...[delta(0, { type: "text_delta", text: 7 }), { type: "content_block_delta", index: 0, delta: null }],
      ...[delta(0, { type: "input_json_delta", partial_json: "{}" }), delta(0, { type: "signature_delta" })],
      ...[
        delta(0, { type: "new_delta" }),
        closed(9),
        { type: "message_delta" },
        ended("end_turn", {}),
        ended("max_tokens"),
      ],
    ];
    expect(deltas(events)).toEqual([{ role: "assistant", content: "" }, {}]);
  });

  test("that opens more blocks than any model does is refused", () => {
    const stream = convertChat({}).answers.stream();
    for (let index = 0; index < 1_000; index += 1) {
      stream.take(opened(index, text("")));
    }
    expect(() => stream.take(opened(1_000, text("")))).toThrow(ConversionError);
    expect(() => stream.take(opened(5, text("")))).not.toThrow();
  });
});
