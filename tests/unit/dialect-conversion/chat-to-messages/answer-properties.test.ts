import { describe, expect, test } from "bun:test";
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import type { JsonObject } from "@sluice/dialect-conversion/model";
import fc from "fast-check";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { chunksOf, convertChat } from "../../../support/conversion/chat-to-messages.ts";
import { cuts, eventsOf, wholeMessages } from "../../../support/conversion/messages-answers.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 3_000 : 70;

function linesOf(values: readonly unknown[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  }) as unknown as ReadableStream<Uint8Array>;
}

const choiceOf = (answer: JsonObject) => (answer["choices"] as JsonObject[])[0] as JsonObject;
const withUsage = { stream: true, stream_options: { include_usage: true } };

type Sum = { [field: string]: unknown };

/** Adds up deltas: texts are joined, entries of lists are joined by their index, as the Python client does it. */
function addDelta(sum: Sum, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = sum[name];
    if (Array.isArray(value)) {
      const list = (before ?? []) as Sum[];
      for (const entry of value as JsonObject[]) {
        const at = typeof entry["index"] === "number" ? entry["index"] : list.length;
        list[at] ??= {};
        addDelta(list[at], entry);
      }
      sum[name] = list;
    } else if (typeof value === "string" && typeof before === "string" && name !== "type") {
      sum[name] = before + value;
    } else if (typeof value === "object" && value !== null) {
      const inner = { ...(before as object | undefined) };
      addDelta(inner, value as JsonObject);
      sum[name] = inner;
    } else {
      sum[name] = value;
    }
  }
}

function foldedMessage(chunks: readonly JsonObject[]): JsonObject {
  const sum: Sum = {};
  for (const chunk of chunks) {
    for (const choice of chunk["choices"] as JsonObject[]) {
      addDelta(sum, choice["delta"] as JsonObject);
    }
  }
  const calls = sum["tool_calls"] as JsonObject[] | undefined;
  const plain = calls?.map(({ index: _index, ...call }) => call);
  const content = sum["content"] === "" && plain !== undefined ? null : sum["content"];
  return { refusal: null, ...sum, content, ...(plain === undefined ? {} : { tool_calls: plain }) };
}

describe("any response, cut in any way", () => {
  test("is streamed as the message that it is as a whole", () => {
    fc.assert(
      fc.property(wholeMessages, cuts, (message, places) => {
        const whole = convertChat({}).answers.whole(message);
        const chunks = chunksOf(convertChat(withUsage), eventsOf(message, places));
        expect(foldedMessage(chunks)).toEqual(choiceOf(whole)["message"] as JsonObject);
        const finished = chunks.filter((chunk) => (chunk["choices"] as JsonObject[])[0]?.["finish_reason"]);
        expect(finished.map((chunk) => choiceOf(chunk)["finish_reason"])).toEqual([choiceOf(whole)["finish_reason"]]);
        expect(chunks.at(-1)?.["usage"]).toEqual(whole["usage"]);
      }),
      { numRuns: runs },
    );
  });

  test("is the same for the official client of chat completions", async () => {
    await fc.assert(
      fc.asyncProperty(wholeMessages, cuts, async (message, places) => {
        const whole = convertChat({}).answers.whole(message);
        const chunks = chunksOf(convertChat(withUsage), eventsOf(message, places));
        const final = await ChatCompletionStream.fromReadableStream(linesOf(chunks) as never).finalChatCompletion();
        const { message: said, finish_reason } = choiceOf(whole) as { message: JsonObject; finish_reason: string };
        const [choice] = final.choices;
        expect(choice?.finish_reason).toBe(finish_reason as "stop");
        expect(choice?.message.content ?? "").toBe((said["content"] as string | null) ?? "");
        const calls = choice?.message.tool_calls?.map((call) => {
          expect(call.type).toBe("function");
          return call.type === "function" ? [call.id, call.function.name, call.function.arguments] : [];
        });
        const expected = (said["tool_calls"] as { id: string; function: { name: string; arguments: string } }[]) ?? [];
        expect(calls ?? []).toEqual(expected.map((call) => [call.id, call.function.name, call.function.arguments]));
        expect<unknown>(final.usage).toEqual(whole["usage"]);
      }),
      { numRuns: Math.ceil(runs / 4) },
    );
  });

  test("comes from events that the official client of the upstream reads as that message", async () => {
    await fc.assert(
      fc.asyncProperty(wholeMessages, cuts, async (message, places) => {
        const final = await MessageStream.fromReadableStream(
          linesOf(eventsOf(message, places)) as never,
        ).finalMessage();
        const [direct, read] = [message, JSON.parse(JSON.stringify(final)) as JsonObject].map(
          (answer) => choiceOf(convertChat({}).answers.whole(answer))["message"],
        );
        expect(read).toEqual(direct);
      }),
      { numRuns: Math.ceil(runs / 4) },
    );
  });

  test("gives its signed blocks back where they were", () => {
    fc.assert(
      fc.property(wholeMessages, (message) => {
        const blocks = (message["content"] as JsonObject[]).filter(isKept);
        const whole = choiceOf(convertChat({}).answers.whole({ ...message, content: blocks }));
        const said = whole["message"] as JsonObject;
        const results = ((said["tool_calls"] ?? []) as { id: string }[]).map(({ id }) => ({
          role: "tool",
          tool_call_id: id,
          content: "r",
        }));
        const messages = [{ role: "user", content: "a" }, said, ...results];
        const turn = (convertChat({ messages }).body["messages"] as JsonObject[])[1];
        const content = (turn?.["role"] === "assistant" ? turn["content"] : []) as JsonObject[];
        const isSpoken = content.length > 0;
        expect(content.filter(isThinking)).toEqual(isSpoken ? blocks.filter(isThinking) : []);
        const text = (list: JsonObject[]) => list.map((block) => block["text"] ?? "").join("");
        expect(text(content)).toBe(text(blocks).trim() === "" ? "" : text(blocks));
        const inputs = (list: JsonObject[]) => list.filter(({ type }) => type === "tool_use").map(({ input }) => input);
        expect(inputs(content)).toEqual(inputs(blocks));
      }),
      { numRuns: runs },
    );
  });
});

const isThinking = ({ type }: JsonObject): boolean => type === "thinking" || type === "redacted_thinking";
/** Unsigned thinking is not given back. */
const isKept = (block: JsonObject): boolean => block["type"] !== "thinking" || block["signature"] !== "";
