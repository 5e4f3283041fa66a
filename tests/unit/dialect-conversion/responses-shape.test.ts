import { expect, test } from "bun:test";
import type {
  Response as OpenAiResponse,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { asking, callChunk, chunk, dataOf, eventsOf, finalOf } from "../../support/conversion/responses-calls.ts";

type RequiredFields<T> = { [Field in keyof T]-?: object extends Pick<T, Field> ? never : Field }[keyof T];
type EventFields = {
  [Type in ResponseStreamEvent["type"]]?: readonly RequiredFields<Extract<ResponseStreamEvent, { type: Type }>>[];
};
type ItemFields = {
  [Type in ResponseOutputItem["type"]]?: readonly RequiredFields<Extract<ResponseOutputItem, { type: Type }>>[];
};
/** Fails to compile unless all of the names are listed. */
const all =
  <Name extends PropertyKey>() =>
  <const Listed extends readonly Name[]>(names: Exclude<Name, Listed[number]> extends never ? Listed : never): Listed =>
    names;

/** The official client adds `output_text` itself. */
const responseFields = all<Exclude<RequiredFields<OpenAiResponse>, "output_text">>()([
  ...(["id", "access_programs", "created_at", "error", "incomplete_details", "instructions", "metadata"] as const),
  ...(["model", "object", "output", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p"] as const),
]);

const place = ["type", "sequence_number", "output_index", "item_id"] as const;
const eventFields: EventFields = {
  "response.created": ["type", "sequence_number", "response"],
  "response.in_progress": ["type", "sequence_number", "response"],
  "response.completed": ["type", "sequence_number", "response"],
  "response.output_item.added": ["type", "sequence_number", "output_index", "item"],
  "response.output_item.done": ["type", "sequence_number", "output_index", "item"],
  "response.content_part.added": [...place, "content_index", "part"],
  "response.content_part.done": [...place, "content_index", "part"],
  "response.output_text.delta": [...place, "content_index", "delta", "logprobs"],
  "response.output_text.done": [...place, "content_index", "text", "logprobs"],
  "response.refusal.delta": [...place, "content_index", "delta"],
  "response.refusal.done": [...place, "content_index", "refusal"],
  "response.reasoning_summary_part.added": [...place, "summary_index", "part"],
  "response.reasoning_summary_part.done": [...place, "summary_index", "part"],
  "response.reasoning_summary_text.delta": [...place, "summary_index", "delta"],
  "response.reasoning_summary_text.done": [...place, "summary_index", "text"],
  "response.function_call_arguments.delta": [...place, "delta"],
  "response.function_call_arguments.done": [...place, "arguments"],
  "response.custom_tool_call_input.delta": [...place, "delta"],
  "response.custom_tool_call_input.done": [...place, "input"],
};
const itemFields: ItemFields = {
  message: ["id", "content", "role", "status", "type"],
  reasoning: ["id", "summary", "type"],
  function_call: ["arguments", "call_id", "name", "type"],
  custom_tool_call: ["call_id", "input", "name", "type"],
  tool_search_call: ["id", "arguments", "call_id", "execution", "status", "type"],
};

const tools = [
  { type: "custom", name: "apply_patch" },
  { type: "tool_search", execution: "client" },
];
const events = eventsOf(
  [
    chunk({ reasoning_content: "Hm" }),
    chunk({ content: "Hello" }),
    chunk({ refusal: "No" }),
    callChunk(0, { id: "a", name: "f", args: "{}" }),
    callChunk(1, { id: "b", name: "apply_patch", args: '{"input":"x"}' }),
    callChunk(2, { id: "c", name: "tool_search", args: '{"query":"x"}' }),
    chunk({}, "tool_calls"),
  ],
  asking({ tools }),
);

test("a response has every field that the official client declares", () => {
  for (const name of responseFields) {
    expect(finalOf(events)).toHaveProperty(name);
  }
});

test("every event has the fields that the official client declares", () => {
  const seen = new Set(events.map((event) => String(dataOf(event)["type"])));
  expect([...seen].toSorted()).toEqual(Object.keys(eventFields).toSorted());
  for (const event of events) {
    const data = dataOf(event);
    for (const name of eventFields[String(data["type"]) as keyof EventFields] ?? []) {
      expect(data).toHaveProperty(name);
    }
  }
});

test("every item of the output has the fields that the official client declares", () => {
  const output = finalOf(events)["output"] as { type: keyof ItemFields }[];
  expect(output.map(({ type }) => type).toSorted()).toEqual(
    (Object.keys(itemFields) as (keyof ItemFields)[]).toSorted(),
  );
  for (const item of output) {
    for (const name of itemFields[item.type] ?? []) {
      expect(item).toHaveProperty(name);
    }
  }
});
