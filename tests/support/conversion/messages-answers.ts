import type { JsonObject } from "@sluice/dialect-conversion/model";
import fc from "fast-check";
import { anyWebAddress } from "../values/any-character.ts";

/** Messages as a Messages upstream could give them, whole and cut into events. */

const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "水", "😀", '"', "\\"), maxLength: 8 });
/** As it arrives: JSON.stringify writes -0 as 0. */
const jsonObject = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const citation = fc.oneof(
  fc.record({
    type: fc.constant("web_search_result_location"),
    url: anyWebAddress,
    title: fc.option(words),
    cited_text: words,
    encrypted_index: fc.constant("x"),
  }),
  fc.record({ type: fc.constant("char_location"), document_index: fc.nat(3), cited_text: words }),
);

const block: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    type: fc.constant("text"),
    text: words,
    citations: fc.option(fc.array(citation, { minLength: 1, maxLength: 2 })),
  }),
  fc.record({ type: fc.constant("thinking"), thinking: words, signature: fc.constantFrom("", "sig/+=", "other") }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.constantFrom("secret", "more") }),
  fc.record({
    type: fc.constant("tool_use"),
    name: fc.constantFrom("f", "g"),
    input: jsonObject,
  }),
);

/** Ids of calls are never used twice. */
const withOwnId = (whole: JsonObject, index: number): JsonObject =>
  whole["type"] === "tool_use" ? { type: "tool_use", id: `toolu_${index}`, ...whole } : whole;

const count = fc.nat({ max: 1_000 });
const usage = fc.record({
  input_tokens: count,
  cache_read_input_tokens: fc.option(count),
  cache_creation_input_tokens: fc.option(count),
  output_tokens: count,
  output_tokens_details: fc.option(fc.record({ thinking_tokens: count })),
});

export const stopReasons = [
  ...["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"],
  "model_context_window_exceeded",
];

/** A whole message. */
export const wholeMessages: fc.Arbitrary<JsonObject> = fc.record({
  id: fc.constant("msg_1"),
  type: fc.constant("message"),
  role: fc.constant("assistant"),
  model: fc.constant("claude-upstream"),
  content: fc.array(block, { maxLength: 6 }).map((blocks) => blocks.map(withOwnId)),
  stop_reason: fc.constantFrom(...stopReasons),
  stop_sequence: fc.constant(null),
  usage,
});

/** Where texts are cut: for each a number from 0 to 1. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });

function piecesOf(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => Math.floor(place * text.length)), text.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}

type Block = JsonObject & { readonly [name: string]: unknown };

function deltasOf(whole: Block, places: readonly number[]): JsonObject[] {
  switch (whole["type"]) {
    case "text": {
      const cited = (whole["citations"] as JsonObject[] | null) ?? [];
      const texts = piecesOf(whole["text"] as string, places).map((text) => ({ type: "text_delta", text }));
      return [...texts, ...cited.map((entry) => ({ type: "citations_delta", citation: entry }))];
    }
    case "thinking": {
      const texts = piecesOf(whole["thinking"] as string, places);
      const deltas = texts.map((thinking) => ({ type: "thinking_delta", thinking }));
      return [...deltas, { type: "signature_delta", signature: whole["signature"] }];
    }
    case "tool_use": {
      const text = JSON.stringify(whole["input"]);
      const pieces = ["", ...piecesOf(text === "{}" ? "" : text, places)];
      return pieces.map((json) => ({ type: "input_json_delta", partial_json: json }));
    }
    default:
      return [];
  }
}

function openingOf(whole: Block): JsonObject {
  switch (whole["type"]) {
    case "text":
      return { type: "text", text: "", citations: null };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
      return { ...whole, input: {} };
    default:
      return whole;
  }
}

/** The events that a message arrives in. */
export function eventsOf(message: JsonObject, places: readonly number[]): JsonObject[] {
  const { content, stop_reason, stop_sequence, usage: counts, ...head } = message;
  const { output_tokens, output_tokens_details, ...input } = counts as JsonObject;
  const started = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, output_tokens: 1 },
  };
  const blocks = (content as Block[]).flatMap((whole, index) => [
    { type: "content_block_start", index, content_block: openingOf(whole) },
    { type: "ping" },
    ...deltasOf(whole, places).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: started },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens, output_tokens_details } },
    { type: "message_stop" },
  ];
}
