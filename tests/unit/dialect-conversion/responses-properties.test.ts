import { describe, expect, test } from "bun:test";
import { ConversionError, type JsonObject } from "@sluice/dialect-conversion/model";
import fc from "fast-check";
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
} from "../../support/conversion/responses-calls.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 1_500 : 30;

const patch = { type: "custom", name: "apply_patch" };
const request = asking({ tools: [patch] });

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const call = fc.record({
  id: fc.constantFrom("call_a", "call_b", ""),
  name: fc.constantFrom("f", "apply_patch"),
  args: fc.oneof(
    fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer())).map((value) => JSON.stringify(value)),
    fc.string().map((input) => JSON.stringify({ input })),
    words,
  ),
});
const answer = fc.record({
  reasoning: words,
  content: words,
  refusal: words,
  calls: fc.array(call, { maxLength: 3 }),
  finishReason: fc.constantFrom("stop", "length", "content_filter", "tool_calls"),
});
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never;

/** Cuts a text in places that follow from the numbers. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
}

function chunksOf({ reasoning, content, refusal, calls, finishReason }: Answer, places: readonly number[]) {
  return [
    ...cut(reasoning, places).map((piece) => chunk({ reasoning_content: piece })),
    ...cut(content, places).map((piece) => chunk({ content: piece })),
    ...cut(refusal, places).map((piece) => chunk({ refusal: piece })),
    ...calls.flatMap(({ id, name, args }, index) => [
      callChunk(index, { ...(id === "" ? {} : { id }), name, args: "" }),
      ...cut(args, places).map((piece) => callChunk(index, { args: piece })),
    ]),
    chunk({}, finishReason),
  ];
}

function wholeOf({ reasoning, content, refusal, calls, finishReason }: Answer): JsonObject {
  const tool_calls = calls.map(({ id, name, args }, index) => ({
    ...{ index, type: "function", function: { name, arguments: args } },
    ...(id === "" ? {} : { id }),
  }));
  return completion({ reasoning_content: reasoning, content, refusal, tool_calls }, finishReason);
}

describe("any response of an upstream", () => {
  test("is the same however it is cut, and as a whole", () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(), { maxLength: 6 }), (value, places) => {
        const whole = convert(request).answers.whole(wholeOf(value));
        expect(finalOf(eventsOf(chunksOf(value, places), request))).toEqual(whole);
        expect(finalOf(eventsOf(chunksOf(value, []), request))).toEqual(whole);
      }),
      { numRuns: runs },
    );
  });

  test("has each item of its output once, as it was announced, in events that are numbered", () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(), { maxLength: 6 }), (value, places) => {
        const events = eventsOf(chunksOf(value, places), request);
        const data = events.map(dataOf);
        expect(data.map((event) => event["sequence_number"])).toEqual(data.map((_event, index) => index));
        const ofType = (type: string) => data.filter((event) => event["type"] === type);
        const output = finalOf(events)["output"] as JsonObject[];
        expect(ofType("response.output_item.added").map((event) => event["output_index"])).toEqual([...output.keys()]);
        const done = ofType("response.output_item.done").toSorted(
          (one, other) => Number(one["output_index"]) - Number(other["output_index"]),
        );
        expect(done.map((event) => event["item"])).toEqual(output);
      }),
      { numRuns: runs },
    );
  });

  test("is read by the official client as it is", async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.array(fc.nat(), { maxLength: 6 }), async (value, places) => {
        const events = eventsOf(chunksOf(value, places), request);
        const { output } = await readByOpenAi(events);
        expect(output as unknown).toMatchObject(finalOf(events)["output"] as object[]);
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });
});

/** Values of any type under the names that requests have, some of them as they should be. */
const names = [
  ...["type", "role", "content", "text", "output", "call_id", "name", "arguments", "input", "tools", "tool_choice"],
  ...["format", "schema", "effort", "summary", "image_url", "namespace", "id", "execution", "mode", "reasoning"],
  ...["instructions", "include", "metadata", "stream", "temperature", "max_output_tokens", "__proto__", "toString"],
];
const kinds = [
  ...["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning"],
  ...["tool_search_call", "tool_search_output", "agent_message", "additional_tools", "item_reference", "function"],
  ...["custom", "namespace", "tool_search", "web_search", "allowed_tools", "input_text", "input_image", "input_file"],
  ...["user", "assistant", "system", "developer", "grammar", "json_schema", "auto", "required", "client", "x"],
];
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1.5, -1, "", ...kinds),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 6 }),
  ),
}));

describe("any JSON", () => {
  test("as a request is converted or refused as the client's fault", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyValue,
          anyValue.map((input) => asking({ input })),
        ),
        (value) => {
          try {
            JSON.stringify(convert(value).body);
          } catch (error) {
            expect(error).toBeInstanceOf(ConversionError);
          }
        },
      ),
      { numRuns: runs * 3 },
    );
  });

  test("as a response is converted or refused as the upstream's fault", () => {
    const field = fc.dictionary(
      fc.constantFrom("content", "refusal", "reasoning", "tool_calls", "function_call", "reasoning_details"),
      fc.oneof(anyValue, fc.array(fc.record({ index: anyValue, id: anyValue, type: anyValue, function: anyValue }))),
    );
    const payload = fc.oneof(
      fc.dictionary(fc.constantFrom("choices", "usage", "error"), anyValue),
      fc.record({ choices: fc.array(fc.record({ delta: field, finish_reason: anyValue })), usage: anyValue }),
    );
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 4 }), (payloads) => {
        const { answers } = convert(request);
        try {
          const stream = answers.stream();
          for (const value of payloads) {
            stream.take(value);
          }
          stream.end();
          answers.whole(payloads[0] ?? {});
        } catch (error) {
          expect(error).toBeInstanceOf(ConversionError);
        }
      }),
      { numRuns: runs },
    );
  });
});

test("the work grows with the request and no faster", () => {
  const items = (count: number) =>
    Array.from({ length: count }, (_item, index) => [
      { type: "function_call", call_id: `c${index}`, name: `f${index}`, arguments: "{}" },
      { type: "function_call_output", call_id: `c${index}`, output: "x" },
    ]).flat();
  const msOf = (count: number): number => {
    const input = items(count);
    return processorMsOf(() => convert({ input }));
  };
  msOf(10_000);
  expect(msOf(40_000)).toBeLessThan(Math.max(40 * msOf(4_000), 1_000));
});
