/** How much work a request or an upstream can cause: it grows with the input, not with its square. */
import { describe, expect, test } from "bun:test";
import type { StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import { callPiece, done, finish, foldStream, text, upstreamMessages } from "../../support/messages/messages-calls.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

/** Several times what it takes, and several times less than scanning everything again each time. */
const msMax = 4_000;

const repeat = <Piece>(count: number, make: (index: number) => Piece): Piece[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("odd input costs no more than its length", () => {
  test("R13 a message of only unknown blocks", () => {
    const content = repeat(90_000, () => ({ type: "x" }));
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content },
    ];
    let told: unknown;
    expect(processorMsOf(() => (told = upstreamMessages(messages)[1]?.content))).toBeLessThan(msMax);
    expect(told).toBe(content.map((block) => JSON.stringify(block)).join("\n"));
  });

  test("C3 a stream of only white space", () => {
    const inputs = [...repeat(40_000, () => text("   \n")), finish("stop"), done];
    expect(processorMsOf(() => expect(foldStream(inputs).content).toEqual([]))).toBeLessThan(msMax);
  });

  test("C3 text that waits for an endless call is not kept forever", () => {
    const piece = text("x".repeat(1_000_000));
    const inputs: StreamInput[] = [
      callPiece({ index: 0, id: "a", name: "f", arguments: "{" }),
      ...repeat(17, () => piece),
    ];
    expect(foldStream(inputs.slice(0, 16)).error).toBeNull();
    expect(foldStream(inputs).error).toEqual({ type: "api_error", message: "The provider's response is too long." });
  });

  test("C4 a response that calls more tools than any model does is aborted", () => {
    const calls = repeat(1_001, (index) => callPiece({ index, id: `c${index}`, name: "f", arguments: "{}" }));
    expect(foldStream([...calls.slice(1), finish("tool_calls"), done]).content).toHaveLength(1_000);
    expect(foldStream(calls).error).toEqual({
      type: "api_error",
      message: "The provider's response has too many tool calls.",
    });
  });
});
