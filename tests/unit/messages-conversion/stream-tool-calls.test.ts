import { describe, expect, test } from "bun:test";
import type { AnswerFacts } from "@sluice/messages-conversion/answer-facts";
import type { ContentBlock, MessagesEvent } from "@sluice/messages-conversion/messages";
import type { StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import {
  callPiece,
  chunk,
  done,
  eventsOf,
  finish,
  foldStream,
  text,
  wirePiece,
} from "../../support/messages/messages-calls.ts";

const used = (id: string, name: string, input: { [field: string]: unknown }): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const pieces = (...parts: Parameters<typeof wirePiece>[0][]): StreamInput =>
  chunk({ tool_calls: parts.map(wirePiece) });

/** The blocks of a stream that ends in order. */
function blocksOf(
  inputs: readonly StreamInput[],
  facts: Partial<AnswerFacts> = {},
  reason = "tool_calls",
): readonly ContentBlock[] {
  const { content, error, isStopped } = foldStream([...inputs, finish(reason), done], facts);
  expect({ error, isStopped }).toEqual({ error: null, isStopped: true });
  return content;
}

const a1 = '{"a":1}';
const b2 = '{"b":2}';

describe("C4 which pieces belong together", () => {
  test.each<[string, StreamInput[], ContentBlock[]]>([
    [
      "C4 B8 everything in one chunk",
      [pieces({ index: 0, id: "c1", name: "f", arguments: a1 })],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 B24 in many pieces",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: "" }),
        ...[...a1].map((piece) => callPiece({ index: 0, arguments: piece })),
      ],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 B14 two calls in one chunk",
      [pieces({ index: 0, id: "c1", name: "f", arguments: a1 }, { index: 1, id: "c2", name: "g", arguments: b2 })],
      [used("c1", "f", { a: 1 }), used("c2", "g", { b: 2 })],
    ],
    [
      "C4 B19 interleaved",
      [
        pieces({ index: 0, id: "c1", name: "f" }, { index: 1, id: "c2", name: "g" }),
        callPiece({ index: 1, arguments: '{"b"' }),
        callPiece({ index: 0, arguments: '{"a"' }),
        callPiece({ index: 1, arguments: ":2}" }),
        callPiece({ index: 0, arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 }), used("c2", "g", { b: 2 })],
    ],
    [
      "C4 number 0 for all, distinguished by id",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: a1 }),
        callPiece({ index: 0, id: "c2", name: "f", arguments: b2 }),
      ],
      [used("c1", "f", { a: 1 }), used("c2", "f", { b: 2 })],
    ],
    [
      "C4 number 0 for all and no ids, distinguished by name",
      [callPiece({ index: 0, name: "f", arguments: a1 }), callPiece({ index: 0, name: "g", arguments: b2 })],
      [used("toolu_1", "f", { a: 1 }), used("toolu_2", "g", { b: 2 })],
    ],
    [
      "C4 B15 a repeated name",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: "" }),
        callPiece({ index: 0, name: "f", arguments: '{"a"' }),
        callPiece({ index: 0, name: "f", arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 a repeated id and name",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }),
        callPiece({ index: 0, id: "c1", name: "f", arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 another id without a name is not a call",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }),
        callPiece({ index: 0, id: "x9", arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 a name in pieces",
      [
        callPiece({ index: 0, id: "c1", name: "get_" }),
        callPiece({ index: 0, name: "weather" }),
        callPiece({ index: 0, arguments: a1 }),
      ],
      [used("c1", "get_weather", { a: 1 })],
    ],
    [
      "C4 a name after the arguments began is the first name",
      [callPiece({ index: 0, id: "c1", arguments: '{"a"' }), callPiece({ index: 0, name: "f", arguments: ":1}" })],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 another name after the arguments began has no effect",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }),
        callPiece({ index: 1, id: "c2", name: "g", arguments: '{"b"' }),
        callPiece({ index: 1, name: "h", arguments: ":2}" }),
        callPiece({ index: 0, name: "h", arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 }), used("c2", "g", { b: 2 })],
    ],
    [
      "C4 no numbers, ids only",
      [
        callPiece({ id: "c1", name: "f", arguments: '{"a"' }),
        callPiece({ id: "c2", name: "g", arguments: b2 }),
        callPiece({ id: "c1", arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 }), used("c2", "g", { b: 2 })],
    ],
    [
      "C4 no numbers, the id only at first",
      [
        callPiece({ id: "c1", name: "f", arguments: "" }),
        callPiece({ arguments: '{"a"' }),
        callPiece({ arguments: ":1}" }),
      ],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 nothing but positions",
      [
        pieces({ name: "f", arguments: '{"a"' }, { name: "g", arguments: '{"b"' }),
        pieces({ arguments: ":1}" }, { arguments: ":2}" }),
      ],
      [used("toolu_1", "f", { a: 1 }), used("toolu_2", "g", { b: 2 })],
    ],
    [
      "C4 whole calls one after the other, with neither numbers nor ids",
      [pieces({ name: "f", arguments: a1 }), pieces({ name: "f", arguments: b2 })],
      [used("toolu_1", "f", { a: 1 }), used("toolu_2", "f", { b: 2 })],
    ],
    [
      "C4 numbers that do not begin at 0 and have gaps",
      [
        callPiece({ index: 3, id: "c3", name: "f", arguments: a1 }),
        callPiece({ index: 7, id: "c7", name: "g", arguments: b2 }),
      ],
      [used("c3", "f", { a: 1 }), used("c7", "g", { b: 2 })],
    ],
    [
      "C4 the id comes later",
      [callPiece({ index: 0, name: "f" }), callPiece({ index: 0, id: "c1", arguments: a1 })],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C4 P6 the older form of a call",
      [chunk({ function_call: { name: "f", arguments: "" } }), chunk({ function_call: { arguments: a1 } })],
      [used("toolu_1", "f", { a: 1 })],
    ],
    [
      "C4 an empty piece opens nothing",
      [chunk({ content: "a", tool_calls: [{ index: 0, function: {} }] })],
      [{ type: "text", text: "a" }],
    ],
    [
      "P6 F10 the same id twice",
      [
        callPiece({ index: 0, id: "c1", name: "f", arguments: a1 }),
        callPiece({ index: 1, id: "c1", name: "f", arguments: b2 }),
      ],
      [used("c1", "f", { a: 1 }), used("toolu_1", "f", { b: 2 })],
    ],
    [
      "P6 an odd id",
      [callPiece({ index: 0, id: "functions.Bash:0", name: "f", arguments: a1 })],
      [used("functions.Bash:0", "f", { a: 1 })],
    ],
    [
      "P7 arguments that are an object already",
      [chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: { a: 1 } } }] })],
      [used("c1", "f", { a: 1 })],
    ],
    [
      "C5 a call whose name never comes",
      [callPiece({ index: 0, id: "c1", arguments: a1 }), callPiece({ index: 1, id: "c2", name: "g", arguments: b2 })],
      [used("c2", "g", { b: 2 })],
    ],
  ])("%s", (_rule, inputs, expected) => {
    expect(blocksOf(inputs)).toEqual(expected);
  });

  test("R12 the client's name comes back", () => {
    const call = callPiece({ index: 0, id: "c1", name: "a_b_1", arguments: a1 });
    expect(blocksOf([call], { toolNames: new Map([["a_b_1", "a.b"]]) })).toEqual([used("c1", "a.b", { a: 1 })]);
  });
});

describe("C5 C6 C7 when the client gets it", () => {
  const typesOf = (events: readonly MessagesEvent[]) => events.map(({ type }) => type.replace("content_block_", ""));

  test("C7 the arguments come complete, in one delta, as they were written", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f" }),
      callPiece({ index: 0, arguments: '{ "n": 1.0,' }),
      callPiece({ index: 0, arguments: ' "m": 12345678901234567890}' }),
    ];
    expect(eventsOf(inputs)).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c1", name: "f", input: {} } },
    ]);
    expect(eventsOf([...inputs, finish("tool_calls"), done]).slice(1, 3)).toEqual([
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{ "n": 1.0, "m": 12345678901234567890}' },
      },
      { type: "content_block_stop", index: 0 },
    ]);
  });

  test("C7 a call without arguments has no delta", () => {
    expect(typesOf(eventsOf([callPiece({ index: 0, id: "c1", name: "f" }), finish("tool_calls"), done]))).toEqual([
      "start",
      "stop",
      "message_delta",
      "message_stop",
    ]);
  });

  test("C6 a complete call is sent as soon as the next one begins", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f", arguments: a1 }),
      callPiece({ index: 1, id: "c2", name: "g", arguments: "{" }),
    ];
    expect(typesOf(eventsOf(inputs))).toEqual(["start", "delta", "stop", "start"]);
  });

  test("C6 an incomplete call keeps the next one waiting", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }),
      callPiece({ index: 1, id: "c2", name: "g", arguments: b2 }),
    ];
    expect(typesOf(eventsOf(inputs))).toEqual(["start"]);
    expect(blocksOf([...inputs, callPiece({ index: 0, arguments: ":1}" })])).toEqual([
      used("c1", "f", { a: 1 }),
      used("c2", "g", { b: 2 }),
    ]);
  });

  test("C6 a call without arguments is sent before the next one", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f" }),
      callPiece({ index: 1, id: "c2", name: "g", arguments: b2 }),
    ];
    expect(blocksOf(inputs)).toEqual([used("c1", "f", {}), used("c2", "g", { b: 2 })]);
  });

  test("C6 a lower number that comes late is not lost, and neither is the open one", () => {
    const inputs = [
      callPiece({ index: 1, id: "c2", name: "g", arguments: '{"b"' }),
      callPiece({ index: 0, id: "c1", name: "f", arguments: a1 }),
      callPiece({ index: 1, arguments: ":2}" }),
    ];
    expect(blocksOf(inputs)).toEqual([used("c2", "g", { b: 2 }), used("c1", "f", { a: 1 })]);
  });

  test("C9 arguments in the last chunk count", () => {
    const inputs = [
      callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a"' }),
      chunk({ tool_calls: [wirePiece({ index: 0, arguments: ":1}" })] }, { finish_reason: "tool_calls" }),
      done,
    ];
    expect(foldStream(inputs)).toMatchObject({ content: [used("c1", "f", { a: 1 })], stop_reason: "tool_use" });
  });

  test.each<[string, string, string, { [field: string]: unknown }]>([
    ["P7 C7 text that is not JSON", "{a: 1}", "tool_calls", { _raw: "{a: 1}" }],
    ["P7 C7 the same object twice", a1 + a1, "tool_calls", { a: 1 }],
    ["P7 C7 incomplete", '{"a":"b","c":"de', "tool_calls", { _raw: '{"a":"b","c":"de' }],
    ["P7 C7 cut by the limit", '{"a":"b","c":"de', "length", { a: "b" }],
    ["P7 C7 an object in a text", JSON.stringify(a1), "tool_calls", { a: 1 }],
    ["P7 C7 B34 white space", " ", "tool_calls", {}],
  ])("%s", (_rule, args, reason, expected) => {
    expect(blocksOf([callPiece({ index: 0, id: "c1", name: "f", arguments: args })], {}, reason)).toEqual([
      used("c1", "f", expected),
    ]);
  });

  test("C7 endless arguments are a failure, not a full memory", () => {
    const piece = callPiece({ index: 0, id: "c1", name: "f", arguments: "x".repeat(4_000_000) });
    expect(foldStream([piece, piece, piece, piece, piece]).error?.type).toBe("api_error");
  });
});

describe("C7 eager_input_streaming", () => {
  const facts: Partial<AnswerFacts> = { eagerTools: new Set(["f"]) };
  const call = (args: string) => callPiece({ index: 0, id: "c1", name: "f", arguments: args });
  const deltasOf = (inputs: readonly StreamInput[]) =>
    eventsOf(inputs, facts).flatMap((event) =>
      event.type === "content_block_delta" && event.delta.type === "input_json_delta" ? [event.delta.partial_json] : [],
    );

  test("C7 pieces are sent as they come", () => {
    expect(deltasOf([call('{"a'), call('":'), call("1}")])).toEqual(['{"a', '":', "1}"]);
  });

  test("C7 text after the object is dropped", () => {
    const inputs = [call('{"a":1'), call("} and "), call("more")];
    expect(deltasOf(inputs)).toEqual(['{"a":1', "}"]);
    expect(blocksOf(inputs, facts)).toEqual([used("c1", "f", { a: 1 })]);
  });

  test("C7 text that does not begin as an object waits until the end", () => {
    const inputs = [call(" "), call('"{\\"a\\"'), call(':1}"')];
    expect(deltasOf(inputs)).toEqual([]);
    expect(blocksOf(inputs, facts)).toEqual([used("c1", "f", { a: 1 })]);
  });

  test("C7 text that turns out to be broken ends the stream before it is sent", () => {
    const inputs = [call('{"a":1'), call(",b:2}"), finish("tool_calls"), done];
    expect(deltasOf(inputs)).toEqual(['{"a":1']);
    expect(foldStream(inputs, facts)).toMatchObject({
      error: { type: "api_error", message: "invalid tool arguments from model" },
      isStopped: false,
    });
  });

  test("C7 text that is torn without a limit ends the stream", () => {
    expect(foldStream([call('{"a":1'), finish("tool_calls"), done], facts).error?.message).toBe(
      "invalid tool arguments from model",
    );
  });

  test("C7 text torn by the limit is sent as far as it came", () => {
    const events = eventsOf([call('{"a":"b","c":"d'), finish("length"), done], facts);
    expect(events.at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "max_tokens" } });
    expect(deltasOf([call('{"a":"b","c":"d'), finish("length"), done])).toEqual(['{"a":"b","c":"d']);
  });

  test("C7 missing arguments become an empty object", () => {
    expect(blocksOf([callPiece({ index: 0, id: "c1", name: "f" })], facts)).toEqual([used("c1", "f", {})]);
  });

  test("C7 C6 a call that waited is sent as soon as it is its turn", () => {
    const second = callPiece({ index: 1, id: "c2", name: "f", arguments: '{"b"' });
    const inputs = [
      call('{"a"'),
      second,
      call(":1}"),
      callPiece({ index: 1, arguments: ":" }),
      callPiece({ index: 1, arguments: "2}" }),
    ];
    expect(deltasOf(inputs)).toEqual(['{"a"', ":1}", '{"b":', "2}"]);
    expect(blocksOf(inputs, facts)).toEqual([used("c1", "f", { a: 1 }), used("c2", "f", { b: 2 })]);
  });

  test("C7 C8 text between pieces waits", () => {
    expect(blocksOf([call('{"a"'), text("x"), call(":1}")], facts)).toEqual([
      used("c1", "f", { a: 1 }),
      { type: "text", text: "x" },
    ]);
  });

  test("C7 R12 the tool has the client's name for it", () => {
    const inputs = [callPiece({ index: 0, id: "c1", name: "f_1", arguments: "{" })];
    const events = eventsOf(inputs, { ...facts, toolNames: new Map([["f_1", "f"]]) });
    expect(events.at(-1)).toMatchObject({ delta: { partial_json: "{" } });
  });
});
