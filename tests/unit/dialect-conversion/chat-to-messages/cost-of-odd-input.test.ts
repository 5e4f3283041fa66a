/** How much work a request or an upstream can cause: it grows with the input, not with its square. */
import { describe, expect, test } from "bun:test";
import { chunksOf, convertChat, messagesBody } from "../../../support/conversion/chat-to-messages.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

/** Several times what it takes, and several times less than looking at everything again each time. */
const msMax = 2_000;
const many = 50_000;

const repeat = <Piece>(count: number, make: (index: number) => Piece): Piece[] =>
  Array.from({ length: count }, (_, index) => make(index));

const user = { role: "user", content: "a" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "r" });

describe("odd input costs no more than its length", () => {
  test.each<[string, () => unknown[]]>([
    ["many neighbours of one role", () => repeat(many, () => user)],
    ["many parts", () => [{ role: "user", content: repeat(many, () => ({ type: "text", text: "a" })) }]],
    ["many system turns", () => [user, ...repeat(many, () => ({ role: "system", content: "s" }))]],
    [
      "many calls with one id",
      () => [{ role: "assistant", tool_calls: repeat(many, () => call("c")) }, ...repeat(many, () => result("c"))],
    ],
    [
      "many turns that use one id again",
      () => repeat(many / 4, () => [{ role: "assistant", tool_calls: [call("é")] }, result("é")]).flat(),
    ],
    [
      "ids that look like those of repetitions",
      () =>
        [
          ...repeat(many / 4, (index) => [
            { role: "assistant", tool_calls: [call(`c_${index}`)] },
            result(`c_${index}`),
          ]),
          ...repeat(many / 4, () => [{ role: "assistant", tool_calls: [call("c")] }, result("c")]),
        ].flat(),
    ],
    [
      "many blocks of thinking with far places",
      () => [
        user,
        {
          role: "assistant",
          content: repeat(many, () => ({ type: "text", text: "a" })),
          reasoning_details: repeat(many, (index) => ({
            ...{ type: "reasoning.text", text: "t", signature: "s" },
            id: `block_${(index * 7) % many}`,
          })),
        },
      ],
    ],
  ])("%s", (_what, make) => {
    const messages = make();
    expect(processorMsOf(() => convertChat({ messages }))).toBeLessThan(msMax);
  });

  test("many tools, allowed by name", () => {
    const tools = repeat(many / 4, (index) => ({ type: "function", function: { name: `f${index}` } }));
    const choice = { type: "allowed_tools", allowed_tools: { mode: "auto", tools } };
    expect(processorMsOf(() => messagesBody({ tools, tool_choice: choice }))).toBeLessThan(msMax);
  });

  test("a long data URL without end", () => {
    const url = `data:image/png;${"a".repeat(8_000_000)}`;
    const messages = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
    expect(processorMsOf(() => expect(() => convertChat({ messages })).toThrow())).toBeLessThan(msMax);
  });

  test("a stream of many small pieces", () => {
    const deltas = repeat(many, () => ({
      ...{ type: "content_block_delta", index: 0 },
      delta: { type: "thinking_delta", thinking: "t" },
    }));
    const events = [
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      ...deltas,
    ];
    expect(processorMsOf(() => chunksOf(convertChat({}), events))).toBeLessThan(msMax);
  });
});
