import { describe, expect, test } from "bun:test";
import { ConversionError, type JsonObject } from "@sluice/dialect-conversion/model";
import {
  asking,
  callChunk,
  chunk,
  completion,
  convert,
  dataOf,
  eventsOf,
  finalOf,
  readByOpenAi,
  typesOf,
} from "../../support/conversion/responses-calls.ts";

const usage = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const usageChunk = { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage };
const patch = { type: "custom", name: "apply_patch" };

describe("a streamed response", () => {
  test("has a text in the order that clients need, with numbered events", () => {
    const events = eventsOf([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      chunk({}, "stop"),
      usageChunk,
    ]);
    expect(typesOf(events)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map((event) => dataOf(event)["sequence_number"])).toEqual(events.map((_event, index) => index));
    expect(events.map(({ event }) => event)).toEqual([...typesOf(events)] as string[]);
    expect(finalOf(events)).toMatchObject({
      status: "completed",
      model: "model",
      output: [
        {
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "Hello", annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 27,
      },
    });
  });

  test("has reasoning as a summary before the text", () => {
    const events = eventsOf([
      chunk({ reasoning_content: "Let " }),
      chunk({ reasoning: "me" }),
      chunk({ content: "Hi" }),
      chunk({}, "stop"),
    ]);
    expect(typesOf(events).slice(2, 9)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
    ]);
    expect(finalOf(events)["output"]).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me" }] },
      { type: "message" },
    ]);
  });

  test("keeps parallel calls apart, whose pieces come in turn", () => {
    const events = eventsOf([
      callChunk(0, { id: "call_a", name: "f", args: "" }),
      callChunk(1, { id: "call_b", name: "g", args: '{"b"' }),
      callChunk(0, { args: '{"a":' }),
      callChunk(1, { args: ":2}" }),
      callChunk(0, { args: "1}" }),
      chunk({}, "tool_calls"),
    ]);
    expect(finalOf(events)["output"]).toMatchObject([
      { type: "function_call", call_id: "call_a", name: "f", arguments: '{"a":1}' },
      { type: "function_call", call_id: "call_b", name: "g", arguments: '{"b":2}' },
    ]);
    const deltas = events.map(dataOf).filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(deltas.map(({ output_index, delta }) => [output_index, delta])).toEqual([
      [1, '{"b"'],
      [0, '{"a":'],
      [1, ":2}"],
      [0, "1}"],
    ]);
  });

  test("gives calls ids where the upstream has none, or one that was used before", () => {
    const input = [
      { type: "function_call", call_id: "used", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "used", output: "" },
    ];
    const events = eventsOf(
      [
        callChunk(0, { name: "f", args: "{}" }),
        callChunk(1, { id: "used", name: "f", args: "{}" }),
        callChunk(2, { id: "same", name: "f", args: "{}" }),
        callChunk(3, { id: "same", name: "f", args: "{}" }),
      ],
      { input },
    );
    const output = finalOf(events)["output"] as JsonObject[];
    const ids = output.map((item) => item["call_id"]);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain("used");
    expect(ids).toContain("same");
  });

  test("gives a call without arguments an empty object", () => {
    const events = eventsOf([callChunk(0, { id: "a", name: "f" }), chunk({}, "tool_calls")]);
    expect(finalOf(events)["output"]).toMatchObject([{ arguments: "{}" }]);
    expect(typesOf(events)).toContain("response.function_call_arguments.delta");
  });

  test("ignores what an upstream repeats after the arguments", () => {
    const events = eventsOf([callChunk(0, { id: "a", name: "f", args: '{"a":1}' }), callChunk(0, { args: '{"a":1}' })]);
    expect(finalOf(events)["output"]).toMatchObject([{ arguments: '{"a":1}' }]);
  });

  test("has a name that comes in pieces as a whole", () => {
    const events = eventsOf([
      callChunk(0, { id: "a", name: "get_" }),
      callChunk(0, { name: "time" }),
      callChunk(0, { args: "{}" }),
    ]);
    expect(finalOf(events)["output"]).toMatchObject([{ name: "get_time" }]);
  });

  test("unwraps the input of a custom tool", () => {
    const pieces = ['{"input":"*** ', "Begin", '\\n"}'];
    const events = eventsOf(
      [
        callChunk(0, { id: "a", name: "apply_patch", args: "" }),
        ...pieces.map((args) => callChunk(0, { args })),
        chunk({}, "tool_calls"),
      ],
      asking({ tools: [patch] }),
    );
    const deltas = events.map(dataOf).filter(({ type }) => type === "response.custom_tool_call_input.delta");
    expect(deltas.map(({ delta }) => delta)).toEqual(["*** ", "Begin", "\n"]);
    expect(events.map(dataOf).filter(({ type }) => type === "response.custom_tool_call_input.done")).toMatchObject([
      { input: "*** Begin\n" },
    ]);
    expect(finalOf(events)["output"]).toMatchObject([{ type: "custom_tool_call", input: "*** Begin\n" }]);
  });

  test("keeps what there is of an input that the limit cut", () => {
    const cut = callChunk(0, { id: "a", name: "apply_patch", args: '{"input":"*** Be\\' });
    const events = eventsOf([cut, chunk({}, "length")], asking({ tools: [patch] }));
    expect(finalOf(events)["output"]).toMatchObject([{ input: "*** Be", status: "incomplete" }]);
  });

  test("has a refusal as a part of its own", () => {
    const events = eventsOf([
      chunk({ content: "Well" }),
      chunk({ refusal: "I can't" }),
      chunk({ refusal: "." }, "stop"),
    ]);
    expect(finalOf(events)["output"]).toMatchObject([
      {
        content: [
          { type: "output_text", text: "Well" },
          { type: "refusal", refusal: "I can't." },
        ],
      },
    ]);
  });

  test("has no message for the white space before a call", () => {
    const events = eventsOf([chunk({ content: "\n\n" }), callChunk(0, { id: "a", name: "f", args: "{}" })]);
    expect(finalOf(events)["output"]).toMatchObject([{ type: "function_call" }]);
  });

  test("keeps white space that begins a text, or is the whole of it", () => {
    const textOf = (events: Parameters<typeof finalOf>[0]) => finalOf(events)["output"];
    expect(textOf(eventsOf([chunk({ content: "\n" }), chunk({ content: "A" })]))).toMatchObject([
      { content: [{ text: "\nA" }] },
    ]);
    expect(textOf(eventsOf([chunk({ content: " " }), chunk({}, "stop")]))).toMatchObject([
      { content: [{ text: " " }] },
    ]);
  });

  test.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ])("is incomplete after the finish reason %s", (finishReason, reason) => {
    const events = eventsOf([chunk({ content: "Hel" }), chunk({}, finishReason)]);
    expect(typesOf(events).at(-1)).toBe("response.incomplete");
    expect(finalOf(events)).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason },
      output: [{ status: "incomplete" }],
    });
  });

  test("marks only what the limit cut as incomplete", () => {
    const events = eventsOf([
      callChunk(0, { id: "a", name: "f", args: "{}" }),
      callChunk(1, { id: "b", name: "f", args: '{"a' }),
      chunk({}, "length"),
    ]);
    expect(finalOf(events)["output"]).toMatchObject([{ status: "completed" }, { status: "incomplete" }]);
  });

  test("ends without a finish reason, and with one alone", () => {
    expect(finalOf(eventsOf([chunk({ content: "Hi" })]))).toMatchObject({ status: "completed", usage: null });
    expect(finalOf(eventsOf([chunk({}, "stop")]))).toMatchObject({ status: "completed", output: [] });
  });

  test("reads usage beside the finish reason too", () => {
    const events = eventsOf([{ ...chunk({ content: "Hi" }, "stop"), usage }]);
    expect(finalOf(events)).toMatchObject({ usage: { total_tokens: 27 } });
  });

  test("has the sources of its text", () => {
    const source = { url: "https://a.example", title: "A", start_index: 0, end_index: 2 };
    const annotations = [{ type: "url_citation", url_citation: source }, { type: "file" }];
    const events = eventsOf([chunk({ content: "Hi" }), chunk({ annotations }), chunk({}, "stop")]);
    expect(typesOf(events)).toContain("response.output_text.annotation.added");
    expect(finalOf(events)["output"]).toMatchObject([
      { content: [{ text: "Hi", annotations: [{ type: "url_citation", ...source }] }] },
    ]);
  });

  test("says reasoning once that comes in two forms", () => {
    const piece = (text: string) => ({
      reasoning: text,
      reasoning_details: [{ type: "reasoning.text", index: 0, text }],
    });
    const whole = { type: "reasoning.text", index: 0, signature: "s" };
    const events = eventsOf([chunk(piece("Let ")), chunk(piece("me")), chunk({ reasoning_details: [whole] })]);
    expect(finalOf(events)["output"]).toMatchObject([{ summary: [{ text: "Let me" }] }]);
    const alone = eventsOf([chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "Hm" }] })]);
    expect(finalOf(alone)["output"]).toMatchObject([{ summary: [{ text: "Hm" }] }]);
  });

  test("puts pieces of reasoning together for the upstream that wants them back", () => {
    const flags = { reasoningBack: true };
    const request = asking({ include: ["reasoning.encrypted_content"] });
    const stream = convert(request, { flags }).answers.stream();
    const detail = (fields: JsonObject) =>
      chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, format: "f", ...fields }] });
    stream.take(detail({ text: "Let " }));
    stream.take(detail({ text: "me", signature: null }));
    stream.take(detail({ signature: "s" }));
    stream.take(chunk({ content: "Hi" }, "stop"));
    const output = finalOf(stream.end())["output"] as JsonObject[];
    const { body } = convert({ input: [...output, { role: "user", content: "And?" }] }, { flags });
    expect(body["messages"]).toMatchObject([
      {
        ...{ role: "assistant", content: "Hi", reasoning_content: "Let me" },
        reasoning_details: [{ type: "reasoning.text", index: 0, format: "f", text: "Let me", signature: "s" }],
      },
      { role: "user" },
    ]);
  });

  test("has reasoning between tags as reasoning, where the upstream writes it so", () => {
    const pieces = ["<thi", "nk>Let me", " see.</th", "ink>\n\nHel", "lo"];
    const { answers } = convert(asking(), { flags: { thinkTags: true } });
    const stream = answers.stream();
    const events = [...pieces.flatMap((content) => stream.take(chunk({ content }))), ...stream.end()];
    const output = [
      { type: "reasoning", summary: [{ text: "Let me see." }] },
      { type: "message", content: [{ text: "\n\nHello" }] },
    ];
    expect(finalOf(events)["output"]).toMatchObject(output);
    const whole = convert(asking(), { flags: { thinkTags: true } }).answers.whole(
      completion({ content: pieces.join(""), tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] }),
    );
    expect(whole["output"]).toMatchObject([...output, { type: "function_call" }]);
    expect(finalOf(eventsOf([chunk({ content: pieces.join("") })]))["output"]).toHaveLength(1);
  });

  test("keeps what the upstream wants back with a call", () => {
    const request = asking({ include: ["reasoning.encrypted_content"] });
    const extra_content = { google: { thought_signature: "c2ln" } };
    const calls = [
      { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" }, extra_content },
      { index: 1, id: "b", type: "function", function: { name: "f", arguments: "{}" } },
    ];
    const events = eventsOf([chunk({ reasoning_content: "Hm" }), chunk({ tool_calls: calls }, "tool_calls")], request);
    const output = finalOf(events)["output"] as JsonObject[];
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call", "function_call"]);
    const outputs = ["a", "b"].map((call_id) => ({ type: "function_call_output", call_id, output: "x" }));
    expect(convert({ input: [...output, ...outputs] }).body["messages"]).toMatchObject([
      { tool_calls: [{ id: "a", extra_content }, { id: "b" }] },
      {},
      {},
    ]);
    expect(JSON.stringify(finalOf(eventsOf([chunk({ tool_calls: calls })])))).not.toContain("encrypted");
  });

  test("ends once", () => {
    const stream = convert(asking()).answers.stream();
    stream.take(chunk({ content: "Hi" }, "stop"));
    expect(stream.end().length).toBeGreaterThan(0);
    expect(stream.end()).toEqual([]);
    expect(stream.take(chunk({ content: "more" }))).toEqual([]);
  });

  test("fails when the upstream says that it was interrupted", () => {
    expect(() => eventsOf([chunk({ content: "Hi" }, "error")])).toThrow(ConversionError);
  });

  test("fails when it has more calls or text than any response", () => {
    const calls = Array.from({ length: 1_001 }, (_call, index) => callChunk(index, { id: `c${index}`, name: "f" }));
    expect(() => eventsOf(calls)).toThrow(ConversionError);
    const piece = "a".repeat(1_048_576);
    expect(() => eventsOf(Array.from({ length: 33 }, () => chunk({ content: piece })))).toThrow(ConversionError);
  });

  test("is read by the official client", async () => {
    const events = eventsOf(
      [
        chunk({ reasoning_content: "Hm" }),
        chunk({ content: "Hello" }),
        callChunk(0, { id: "a", name: "f", args: "{}" }),
        callChunk(1, { id: "b", name: "apply_patch", args: '{"input":"x"}' }),
        chunk({}, "tool_calls"),
        usageChunk,
      ],
      asking({ tools: [patch] }),
    );
    const response = await readByOpenAi(events);
    expect(response.output_text).toBe("Hello");
    expect(response.output.map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "custom_tool_call",
    ]);
    expect(response.usage?.total_tokens).toBe(27);
  });
});
