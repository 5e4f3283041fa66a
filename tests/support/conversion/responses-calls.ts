import { expect } from "bun:test";
import {
  type ClientEvent,
  ConversionError,
  type ConversionFlags,
  type ConvertedRequest,
  type JsonObject,
} from "@sluice/dialect-conversion/model";
import { fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import OpenAI from "openai";
import type { Response as OpenAiResponse } from "openai/resources/responses/responses";
import { encodeSseEvent } from "../messages/sse-text.ts";
import { plainFlags } from "./plain-flags.ts";

type Settings = { readonly flags?: Partial<ConversionFlags> };

/** Converts a request; ids of the response are `..._1`, `..._2` in the order in which they are made. */
export function convert(request: unknown, { flags = {} }: Settings = {}): ConvertedRequest {
  let made = 0;
  return fromResponsesRequest(request as JsonObject, {
    upstreamModel: "vendor/model",
    clientModel: "model",
    outputTokensMax: 1_000,
    flags: { ...plainFlags, ...flags },
    makeId: () => {
      made += 1;
      return String(made);
    },
    nowSeconds: 1_800_000_000,
  });
}

/** A request with these fields beside a user's word. */
export const asking = (fields: JsonObject = {}): JsonObject => ({ model: "model", input: "Hi", ...fields });

export const bodyOf = (request: JsonObject, settings?: Settings): JsonObject => convert(request, settings).body;

/** The messages for an input. */
export const messagesOf = (input: unknown, settings?: Settings): unknown =>
  bodyOf({ model: "model", input }, settings)["messages"];

/** The parameter that a request is refused for. */
export function refusedFor(request: unknown, settings?: Settings): string | null {
  try {
    convert(request, settings);
  } catch (error) {
    expect(error).toBeInstanceOf(ConversionError);
    return (error as ConversionError).param;
  }
  throw new Error("the request was converted");
}

/** A chunk of a chat completion. */
export const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

/** A piece of a tool call. */
export const callChunk = (index: number, fields: { id?: string; name?: string; args?: string }): JsonObject => {
  const { id, name, args } = fields;
  const target = { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) };
  return chunk({
    tool_calls: [{ index, ...(id === undefined ? {} : { id, type: "function" }), function: target }],
  });
};

/** A whole chat completion. */
export const completion = (message: JsonObject, finishReason = "stop", usage?: JsonObject): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finishReason }],
  ...(usage === undefined ? {} : { usage }),
});

/** The events of a response that the upstream streams in these chunks. */
export function eventsOf(chunks: readonly JsonObject[], request: JsonObject = asking()): readonly ClientEvent[] {
  const stream = convert(request).answers.stream();
  return [...chunks.flatMap((payload) => stream.take(payload)), ...stream.end()];
}

/** The data of an event. */
export function dataOf({ data }: ClientEvent): JsonObject {
  if (data === "[DONE]") {
    throw new Error("the stream has an end mark of another dialect");
  }
  return data;
}

/** The response in the last event. */
export function finalOf(events: readonly ClientEvent[]): JsonObject {
  const last = events.at(-1);
  expect(last).toBeDefined();
  return last === undefined ? {} : (dataOf(last)["response"] as JsonObject);
}

export const typesOf = (events: readonly ClientEvent[]): readonly unknown[] =>
  events.map((event) => dataOf(event)["type"]);

/** What the official client makes of the events. */
export async function readByOpenAi(events: readonly ClientEvent[]): Promise<OpenAiResponse> {
  const text = events
    .map((event) => encodeSseEvent({ event: event.event ?? "", data: JSON.stringify(event.data) }))
    .join("");
  const client = new OpenAI({
    apiKey: "sk-test",
    baseURL: "http://127.0.0.1:1/v1",
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } })),
  });
  return client.responses.stream({ model: "model", input: "Hi" }).finalResponse();
}
