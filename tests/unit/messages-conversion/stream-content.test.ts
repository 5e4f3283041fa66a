import { describe, expect, test } from "bun:test";
import type { AnswerFacts } from "@sluice/messages-conversion/answer-facts";
import type { ContentBlock } from "@sluice/messages-conversion/messages";
import type { StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import {
  callPiece,
  chunk,
  done,
  eventsOf,
  finish,
  foldStream,
  reasoning,
  text,
  usageChunk,
} from "../../support/messages/messages-calls.ts";

const wanted: Partial<AnswerFacts> = { wantsThinking: true };
const said = (content: string): ContentBlock => ({ type: "text", text: content });
const thought = (content: string): ContentBlock => ({ type: "thinking", thinking: content, signature: "" });
const used = (id: string, input: { [field: string]: unknown } = {}): ContentBlock => ({
  type: "tool_use",
  id,
  name: "f",
  input,
});
const call = callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a":1}' });
const halfCall = callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' });
const otherHalf = callPiece({ index: 0, arguments: ":1}" });

describe("the blocks", () => {
  test.each<[string, StreamInput[], Partial<AnswerFacts>, ContentBlock[]]>([
    [
      "C1 B7 an empty list of calls beside a text",
      [chunk({ content: "a", tool_calls: [] }), chunk({ content: "b", tool_calls: null })],
      {},
      [said("ab")],
    ],
    [
      "C1 null and empty contents",
      [chunk({ content: null }), chunk({ content: "" }), text("a"), chunk({})],
      {},
      [said("a")],
    ],
    [
      "C1 a chunk without choices",
      [text("a"), usageChunk({ prompt_tokens: 1 }), { kind: "chunk", chunk: { id: "x" } }, text("b")],
      {},
      [said("ab")],
    ],
    [
      "C1 another choice",
      [text("a"), { kind: "chunk", chunk: { choices: [{ index: 1, delta: { content: "x" } }] } }],
      {},
      [said("a")],
    ],
    [
      "C1 another choice in the same chunk",
      [
        {
          kind: "chunk",
          chunk: {
            choices: [
              { index: 1, delta: { content: "x" } },
              { index: 0, delta: { content: "a" } },
            ],
          },
        },
      ],
      {},
      [said("a")],
    ],
    ["C2 B6 thinking and then text", [reasoning("t"), reasoning("u"), text("a")], wanted, [thought("tu"), said("a")]],
    [
      "C2 thinking in the second field",
      [chunk({ reasoning: "t", reasoning_details: [{ text: "t" }] }), text("a")],
      wanted,
      [thought("t"), said("a")],
    ],
    [
      "C2 thinking and text in one chunk",
      [chunk({ reasoning_content: "t", content: "a" })],
      wanted,
      [thought("t"), said("a")],
    ],
    [
      "C2 B5 thinking after text is a block of its own",
      [text("a"), reasoning("t"), text("b")],
      wanted,
      [said("a"), thought("t"), said("b")],
    ],
    [
      "C2 thinking that nobody asked for is left out",
      [reasoning("t"), text("a"), reasoning("u"), text("b")],
      {},
      [said("ab")],
    ],
    [
      "C2 an empty text does not end the thinking",
      [chunk({ reasoning_content: "t", content: "" }), chunk({ reasoning_content: "u", content: null })],
      wanted,
      [thought("tu")],
    ],
    ["C3 empty lines before a call are left out", [text("\n"), text("\n"), call], {}, [used("c1", { a: 1 })]],
    ["C3 empty lines before the end are left out", [text("\n\n")], {}, []],
    ["C3 empty lines before a text belong to it", [text("\n"), text(" a"), text("\n")], {}, [said("\n a\n")]],
    [
      "C3 empty lines after thinking",
      [reasoning("t"), text("\n\n"), call],
      wanted,
      [thought("t"), used("c1", { a: 1 })],
    ],
    [
      "C3 P5 parts of a text",
      [
        chunk({
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        }),
      ],
      {},
      [said("ab")],
    ],
    ["C8 text after a whole call", [call, text("a")], {}, [used("c1", { a: 1 }), said("a")]],
    [
      "C8 text within a call waits",
      [halfCall, text("a"), otherHalf, text("b")],
      {},
      [used("c1", { a: 1 }), said("ab")],
    ],
    [
      "C8 text within a call waits until the end",
      [halfCall, text("a"), text("\n"), text("b"), otherHalf],
      {},
      [used("c1", { a: 1 }), said("a\nb")],
    ],
    [
      "C8 thinking within a call waits too",
      [halfCall, reasoning("t"), text("a"), otherHalf],
      wanted,
      [used("c1", { a: 1 }), thought("t"), said("a")],
    ],
    ["C8 empty lines after a call are left out", [call, text("\n")], {}, [used("c1", { a: 1 })]],
    ["C8 a text before a call is closed for it", [text("a"), call], {}, [said("a"), used("c1", { a: 1 })]],
    ["C12 think tags are text", [text("<think>t</think>a")], wanted, [said("<think>t</think>a")]],
    ["C12 split_think", [text("<think>t</think>a")], { ...wanted, splitsThinkTags: true }, [thought("t"), said("a")]],
    [
      "C12 split_think in small pieces",
      [..."\n<think>t<u</thin></think>\n\na<think>b"].map(text),
      { ...wanted, splitsThinkTags: true },
      [thought("t<u</thin>"), said("\n\na<think>b")],
    ],
    [
      "C12 split_think without an end",
      [text("<think>t</th")],
      { ...wanted, splitsThinkTags: true },
      [thought("t</th")],
    ],
    [
      "C12 split_think without a beginning",
      [text("<thi"), text("s> a")],
      { ...wanted, splitsThinkTags: true },
      [said("<this> a")],
    ],
    [
      "C12 split_think, nothing but what looks like a beginning",
      [text("<thi")],
      { ...wanted, splitsThinkTags: true },
      [said("<thi")],
    ],
    [
      "a last chunk in the form of a whole response",
      [{ kind: "chunk", chunk: { choices: [{ message: { content: "a" }, finish_reason: "stop" }] } }],
      {},
      [said("a")],
    ],
  ])("%s", (_rule, inputs, facts, expected) => {
    expect(foldStream([...inputs, finish("stop"), done], facts).content).toEqual(expected);
  });

  test("B32 a run of text is one block", () => {
    const events = eventsOf([..."many small pieces"].map(text));
    expect(events.filter(({ type }) => type === "content_block_start")).toHaveLength(1);
  });

  test("B9 each delta follows its start at once", () => {
    expect(eventsOf([reasoning("t"), text("a")], wanted)).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "t" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "a" } },
    ]);
  });
});

describe("P8 C9 stop_reason of a stream", () => {
  test.each<[string, StreamInput[], string]>([
    ["P8 stop", [text("a"), finish("stop")], "end_turn"],
    ["P8 length", [text("a"), finish("length")], "max_tokens"],
    ["P8 content_filter", [text("a"), finish("content_filter")], "refusal"],
    ["P8 stop with a call", [call, finish("stop")], "tool_use"],
    ["P8 length with a call", [call, finish("length")], "max_tokens"],
    ["P8 tool_calls without a call", [text("a"), finish("tool_calls")], "end_turn"],
    ["P8 a refusal", [chunk({ refusal: "No." }), finish("stop")], "refusal"],
    ["C9 content in the chunk of the finish", [chunk({ content: "a" }, { finish_reason: "length" })], "max_tokens"],
    ["M a call without a finish reason", [call], "tool_use"],
  ])("%s", (_rule, inputs, expected) => {
    expect(foldStream([...inputs, done])).toMatchObject({
      stop_reason: expected,
      stop_sequence: null,
      isStopped: true,
    });
  });

  test("P8 a refusal becomes text", () => {
    expect(foldStream([chunk({ refusal: "No" }), chunk({ refusal: "." }), finish("stop"), done]).content).toEqual([
      said("No."),
    ]);
  });

  test("P8 the stop sequence is reported", () => {
    const inputs = [text("a"), chunk({}, { finish_reason: "stop", stop_reason: "END" }), done];
    expect(foldStream(inputs, { stopSequences: ["END"] })).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "END",
    });
    expect(foldStream(inputs)).toMatchObject({ stop_reason: "end_turn", stop_sequence: null });
  });

  test("P9 thinking tokens are reported at the end", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 4 } };
    expect(foldStream([text("a"), finish("stop"), usageChunk(usage)]).usage).toMatchObject({
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 4 },
    });
  });
});
