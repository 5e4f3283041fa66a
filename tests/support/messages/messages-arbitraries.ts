import type { JsonObject } from "@sluice/messages-conversion/json";
import fc from "fast-check";

/** Upstream streams and conversations that could come from anywhere, for properties that must hold for all of them. */

const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "水", "😀", '"', "<", "\\"), maxLength: 6 });
/** As it arrives: JSON.stringify writes -0 as 0. */
const jsonObject = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as typeof value);

/** Something cut into pieces; the pieces joined are the whole. */
function piecesOf(text: string, places: readonly number[]): string[] {
  const ends = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].toSorted(
    (one, other) => one - other,
  );
  return ends.slice(1).map((end, index) => text.slice(ends[index], end));
}

const cuts = fc.array(fc.nat(), { maxLength: 4 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

const callPiece = fc
  .record({
    index: maybe(fc.nat({ max: 2 })),
    id: maybe(fc.constantFrom("", "c0", "c1", "c2")),
    name: maybe(fc.constantFrom("f", "g", "")),
    arguments: maybe(
      fc.oneof(
        fc.constantFrom("", "{", "}", '{"a":', "1", '"', "{}", " ", "x", '{"a":1}'),
        jsonObject.map((value) => JSON.stringify(value)),
      ),
    ),
  })
  .map(
    ({ index, id, name, arguments: args }): JsonObject => ({
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
    }),
  );

const usage = fc.record({
  prompt_tokens: fc.nat({ max: 1_000 }),
  completion_tokens: fc.nat({ max: 1_000 }),
  prompt_tokens_details: maybe(fc.record({ cached_tokens: fc.nat({ max: 1_200 }) })),
});

const delta = fc
  .record({
    role: maybe(fc.constant("assistant")),
    content: maybe(fc.oneof(words, fc.constant(null), fc.constant([{ type: "text", text: "p" }]))),
    reasoning_content: maybe(fc.oneof(words, fc.constant(null))),
    reasoning: maybe(words),
    refusal: fc.option(words, { nil: undefined, freq: 20 }),
    tool_calls: maybe(fc.oneof(fc.array(callPiece, { maxLength: 3 }), fc.constant(null))),
  })
  .map((fields) => JSON.parse(JSON.stringify(fields)) as JsonObject);

const finishReason = fc.constantFrom(
  null,
  null,
  null,
  null,
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "",
  "odd",
);

/** A chunk of a stream, sensible or not. */
const anyChunk: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(delta, finishReason)
      .map(([said, reason]) => ({ choices: [{ index: 0, delta: said, finish_reason: reason }] })),
  },
  { weight: 2, arbitrary: usage.map((counts) => ({ choices: [], usage: counts })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(delta, usage)
      .map(([said, counts]) => ({ choices: [{ index: 0, delta: said }], usage: counts })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonObject>(
      {},
      { id: "x" },
      { choices: null },
      { choices: [{ index: 1, delta: { content: "x" } }] },
    ),
  },
);

/** Bodies of upstream streams, event by event as `data` of the format; some end in order and some do not. */
export const upstreamData: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 30, arbitrary: anyChunk.map((chunk) => JSON.stringify(chunk)) },
        { weight: 1, arbitrary: fc.constantFrom("{", "null", "7") },
        { weight: 1, arbitrary: fc.constant('{"error":{"message":"busy","code":503}}') },
      ),
      { maxLength: 25 },
    ),
    fc.constantFrom([], ["[DONE]"], ['{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', "[DONE]"]),
  )
  .map(([middle, end]) => [...middle, ...end]);

/** A response in one piece, and the same response as the chunks of a stream. */
export type BothForms = {
  readonly message: JsonObject;
  readonly finishReason: string;
  readonly chunks: readonly JsonObject[];
};

export const bothForms: fc.Arbitrary<BothForms> = fc
  .record({
    reasoning: words,
    content: words,
    calls: fc.array(fc.record({ name: fc.constantFrom("f", "g"), input: fc.option(jsonObject, { nil: null }) }), {
      maxLength: 3,
    }),
    finishReason: fc.constantFrom("stop", "tool_calls", "length", "content_filter"),
    cuts,
    mix: fc.array(fc.nat({ max: 2 }), { maxLength: 12 }),
  })
  .map(({ reasoning, content, calls, finishReason: reason, cuts: places, mix }) => {
    const texts = calls.map(({ input }) => (input === null ? "" : JSON.stringify(input)));
    const message = {
      reasoning_content: reasoning,
      content,
      tool_calls: calls.map(({ name }, index) => ({
        id: `c${index}`,
        type: "function",
        function: { name, arguments: texts[index] },
      })),
    };
    const piece = (said: JsonObject): JsonObject => ({ choices: [{ index: 0, delta: said, finish_reason: null }] });
    const openings = calls.map(({ name }, index) =>
      piece({ tool_calls: [{ index, id: `c${index}`, type: "function", function: { name, arguments: "" } }] }),
    );
    const queues = texts.map((text, index) =>
      piecesOf(text, places).map((args) => piece({ tool_calls: [{ index, function: { arguments: args } }] })),
    );
    const chunks = [
      ...piecesOf(reasoning, places).map((said) => piece({ reasoning_content: said })),
      ...piecesOf(content, places).map((said) => piece({ content: said })),
      ...openings,
      ...interleave(queues, mix),
    ];
    return { message, finishReason: reason, chunks };
  });

/** All entries of the lists, each list in its order, the lists mixed. */
function interleave<T>(lists: readonly (readonly T[])[], mix: readonly number[]): T[] {
  const rest = lists.map((list) => [...list]);
  const mixed: T[] = [];
  for (const choice of [...mix, ...Array.from({ length: 100 }, (_, index) => index)]) {
    const filled = rest.filter((list) => list.length > 0);
    const next = filled[choice % Math.max(1, filled.length)]?.shift();
    if (next !== undefined) {
      mixed.push(next);
    }
  }
  return [...mixed, ...rest.flat()];
}

const textBlock = words.map((text) => ({ type: "text", text }));
const image = fc.constant({ type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } });
const resultContent = fc.oneof(words, fc.array(fc.oneof(textBlock, image), { maxLength: 3 }), fc.constant(undefined));

/** What the assistant says and the user's response: calls, results in any order, and words between and beside them. */
const round = fc
  .record({
    said: fc.array(fc.oneof(textBlock, fc.constant({ type: "thinking", thinking: "t", signature: "" })), {
      maxLength: 3,
    }),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom("f", "mcp.tool"),
        input: jsonObject,
        content: resultContent,
        order: fc.nat(),
        isError: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    reminder: fc.option(words, { nil: null }),
    isSpread: fc.boolean(),
    beside: fc.array(fc.oneof(textBlock, image), { maxLength: 2 }),
    next: words,
  })
  .map((fields) => fields);

/** A conversation turn by turn: each entry is what is added to the history before the next response. */
export const conversations: fc.Arbitrary<JsonObject[][]> = fc
  .tuple(words, fc.array(round, { minLength: 1, maxLength: 5 }))
  .map(([opening, rounds]) => [
    [{ role: "user", content: `go ${opening}` }],
    ...rounds.map(({ said, calls, reminder, isSpread, beside, next }, index): JsonObject[] => {
      const id = (call: number) => `c${index}_${call}`;
      const uses = calls.map(({ name, input }, call) => ({ type: "tool_use", id: id(call), name, input }));
      const results = calls
        .map(({ content, order, isError }, call) => ({
          order,
          block: {
            type: "tool_result",
            tool_use_id: id(call),
            ...(content === undefined ? {} : { content }),
            is_error: isError,
          },
        }))
        .toSorted((one, other) => one.order - other.order)
        .map(({ block }) => block);
      const answered = isSpread
        ? results.map((block) => ({ role: "user", content: [block] }))
        : [{ role: "user", content: [...beside, ...results] }];
      return [
        { role: "assistant", content: [...said, ...uses] },
        ...(reminder === null ? [] : [{ role: "system", content: reminder }]),
        ...answered,
        { role: "user", content: `then ${next}` },
      ];
    }),
  ]);
