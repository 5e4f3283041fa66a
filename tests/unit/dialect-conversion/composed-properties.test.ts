import { describe, expect, test } from "bun:test";
import { toMessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/convert-request";
import { composeConversions } from "@sluice/dialect-conversion/compose-conversions";
import type { ConvertedRequest, JsonObject } from "@sluice/dialect-conversion/model";
import { fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import fc from "fast-check";
import { conversionSettings } from "../../support/conversion/chat-to-messages.ts";
import { cuts, eventsOf, wholeMessages } from "../../support/conversion/messages-answers.ts";
import { dataOf, finalOf } from "../../support/conversion/responses-calls.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 2_000 : 30;

const convertRequest = composeConversions(fromResponsesRequest, toMessagesRequest);
const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} }, strict: false }];
const carrying = { tools, include: ["reasoning.encrypted_content"] };
const question = { type: "message", role: "user", content: "hi" };
const convert = (request: JsonObject): ConvertedRequest =>
  convertRequest({ model: "m", input: [question], ...request }, conversionSettings());

/** The last response of a stream, whose events are numbered without gaps. */
function streamed(converted: ConvertedRequest, payloads: readonly JsonObject[]): JsonObject {
  const stream = converted.answers.stream();
  const events = [...payloads.flatMap((payload) => stream.take(payload)), ...stream.end()];
  expect(events.map((event) => dataOf(event)["sequence_number"])).toEqual(events.map((_event, index) => index));
  return finalOf(events);
}

const itemsOf = (response: JsonObject, type: string): JsonObject[] =>
  (response["output"] as JsonObject[]).filter((item) => item["type"] === type);
const saidIn = (response: JsonObject): string =>
  itemsOf(response, "message")
    .flatMap(({ content }) => content as { text?: string }[])
    .map((part) => part.text ?? "")
    .join("");

const lettersOf = (text: string): string => text.replaceAll(/\s/g, "");

describe("any message of an upstream, as a response", () => {
  test("is the same streamed as whole, however its stream is cut", () => {
    fc.assert(
      fc.property(wholeMessages, cuts, (message, places) => {
        const whole = convert({}).answers.whole(message);
        const response = streamed(convert({ stream: true }), eventsOf(message, places));
        for (const name of ["status", "usage", "incomplete_details"]) {
          expect(response[name]).toEqual(whole[name]);
        }
        // A text of white space beside a call is left out of a stream, which can't know what follows.
        expect(lettersOf(saidIn(response))).toBe(lettersOf(saidIn(whole)));
        const callsOf = (from: JsonObject) =>
          itemsOf(from, "function_call").map(({ call_id: id, name, arguments: args }) => [id, name, args]);
        expect(callsOf(response)).toEqual(callsOf(whole));
      }),
      { numRuns: runs },
    );
  });

  test("returns to the upstream with its signed thinking, whole or streamed", () => {
    fc.assert(
      fc.property(wholeMessages, cuts, fc.boolean(), (message, places, isStream) => {
        const content = (message["content"] as JsonObject[])
          .filter(({ type, signature }) => type !== "thinking" || signature !== "")
          .map((block) => (block["type"] === "tool_use" ? { ...block, name: "look" } : block));
        // No model ends with its thinking.
        const spokenTo = content.findLastIndex(
          ({ type, text }) => type === "tool_use" || String(text ?? "").trim() !== "",
        );
        const answer = { ...message, content: content.slice(0, spokenTo + 1) };
        const response = isStream
          ? streamed(convert({ ...carrying, stream: true }), eventsOf(answer, places))
          : convert(carrying).answers.whole(answer);
        const results = itemsOf(response, "function_call").map(({ call_id: id }) => ({
          ...{ type: "function_call_output", call_id: id, output: "r" },
        }));
        const input = [question, ...(response["output"] as JsonObject[]), ...results];
        const turns = convert({ ...carrying, input }).body["messages"] as { role: string; content: JsonObject[] }[];
        const turn = turns.find(({ role }) => role === "assistant");
        const thoughts = (list: readonly JsonObject[]) => list.filter(({ type }) => String(type).endsWith("thinking"));
        expect(thoughts(turn?.content ?? [])).toEqual(thoughts(answer.content));
      }),
      { numRuns: runs },
    );
  });
});
