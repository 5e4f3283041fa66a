/** The events of a streamed response, in the order in which the real provider sends them. */
import type { SseEvent } from "../wire/plan.ts";
import { asArray, asObject, type JsonObject } from "./prompt.ts";
import type { Choice } from "./reply.ts";
import { wordsOf } from "./text-source.ts";
import { argumentFragments } from "./tool-calls.ts";

/** An output item, before it exists and after that. */
export type OutputItem = { readonly begun: JsonObject; readonly whole: JsonObject; readonly choice: Choice };

type ResponseStream = {
  readonly begun: JsonObject;
  readonly items: readonly OutputItem[];
  readonly whole: JsonObject;
};

type Draft = { readonly type: string; readonly [field: string]: unknown };

export function* responseEvents(stream: ResponseStream): Iterable<SseEvent> {
  let sequenceNumber = 0;
  for (const { type, ...fields } of drafts(stream)) {
    yield { name: type, data: JSON.stringify({ type, sequence_number: sequenceNumber, ...fields }) };
    sequenceNumber += 1;
  }
}

function* drafts({ begun, items, whole }: ResponseStream): Iterable<Draft> {
  yield { type: "response.created", response: begun };
  yield { type: "response.in_progress", response: begun };
  for (const [index, item] of items.entries()) {
    yield { type: "response.output_item.added", output_index: index, item: item.begun };
    yield* itemDrafts(item, index);
    yield { type: "response.output_item.done", output_index: index, item: item.whole };
  }
  yield { type: `response.${String(whole["status"])}`, response: whole };
}

function itemDrafts(item: OutputItem, index: number): Iterable<Draft> {
  switch (item.whole["type"]) {
    case "function_call":
      return callDrafts(item, index);
    case "custom_tool_call":
      return customCallDrafts(item, index);
    case "reasoning":
      return reasoningDrafts(item, index);
    default:
      return messageDrafts(item, index);
  }
}

function* reasoningDrafts(item: OutputItem, index: number): Iterable<Draft> {
  for (const [summaryIndex, part] of asArray(item.whole["summary"]).map(asObject).entries()) {
    const place = { item_id: item.whole["id"], output_index: index, summary_index: summaryIndex };
    const text = String(part["text"]);
    yield { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } };
    for (const delta of wordsOf(text).pieces()) {
      yield { type: "response.reasoning_summary_text.delta", ...place, delta };
    }
    yield { type: "response.reasoning_summary_text.done", ...place, text };
    yield { type: "response.reasoning_summary_part.done", ...place, part };
  }
}

function* customCallDrafts(item: OutputItem, index: number): Iterable<Draft> {
  const place = { item_id: item.whole["id"], output_index: index };
  const input = String(item.whole["input"]);
  for (const delta of argumentFragments(input)) {
    yield { type: "response.custom_tool_call_input.delta", ...place, delta };
  }
  yield { type: "response.custom_tool_call_input.done", ...place, input };
}

function* callDrafts(item: OutputItem, index: number): Iterable<Draft> {
  const place = { item_id: item.whole["id"], output_index: index };
  const text = String(item.whole["arguments"]);
  for (const delta of argumentFragments(text)) {
    yield { type: "response.function_call_arguments.delta", ...place, delta };
  }
  yield { type: "response.function_call_arguments.done", ...place, name: item.whole["name"], arguments: text };
}

function* messageDrafts(item: OutputItem, index: number): Iterable<Draft> {
  const place = { item_id: item.whole["id"], output_index: index, content_index: 0 };
  const part = asObject(asArray(item.whole["content"])[0]);
  if (part["type"] === "refusal") {
    const { refusal } = part;
    yield { type: "response.content_part.added", ...place, part: { type: "refusal", refusal: "" } };
    yield { type: "response.refusal.delta", ...place, delta: refusal };
    yield { type: "response.refusal.done", ...place, refusal };
  } else {
    yield { type: "response.content_part.added", ...place, part: { ...part, text: "" } };
    for (const delta of item.choice.text.pieces()) {
      yield { type: "response.output_text.delta", ...place, delta, logprobs: [] };
    }
    yield { type: "response.output_text.done", ...place, text: part["text"], logprobs: [] };
  }
  yield { type: "response.content_part.done", ...place, part };
}
