import { expect } from "bun:test";
import { toMessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/convert-request";
import type { MessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/messages-request";
import {
  type ClientEvent,
  ConversionError,
  type ConversionFlags,
  type ConversionSettings,
  type ConvertedRequest,
  type JsonObject,
} from "@sluice/dialect-conversion/model";
import { plainFlags } from "./plain-flags.ts";

export function conversionSettings(flags: Partial<ConversionFlags> = {}): ConversionSettings {
  let made = 0;
  return {
    upstreamModel: "claude-upstream",
    clientModel: "sold-name",
    outputTokensMax: 64_000,
    flags: { ...plainFlags, ...flags },
    makeId: () => {
      made += 1;
      return `id${made}`.padEnd(24, "0");
    },
    nowSeconds: 1_790_000_000,
  };
}

const question = { role: "user", content: "hi" };

/** Converts a request; without `messages` it asks one question. */
export function convertChat(request: object, flags: Partial<ConversionFlags> = {}): ConvertedRequest {
  return toMessagesRequest({ model: "sold-name", messages: [question], ...request }, conversionSettings(flags));
}

type SentBody = { readonly [Field in keyof MessagesRequest]: unknown } & {
  readonly messages: readonly { readonly content: readonly unknown[] }[];
  readonly output_config?: { readonly effort?: unknown; readonly format?: unknown };
  readonly tools?: readonly (JsonObject & { readonly name: string })[];
};

/** The converted body. */
export function messagesBody(request: object, flags: Partial<ConversionFlags> = {}): SentBody {
  return convertChat(request, flags).body as SentBody;
}

/** The turns that a history becomes. */
export function turnsOf(messages: readonly unknown[], flags: Partial<ConversionFlags> = {}): unknown {
  return messagesBody({ messages }, flags).messages;
}

/** The field at fault of a request that is refused. */
export function refusedParam(request: object, flags: Partial<ConversionFlags> = {}): string | null {
  try {
    convertChat(request, flags);
  } catch (error) {
    expect(error).toBeInstanceOf(ConversionError);
    expect((error as ConversionError).message).not.toBe("");
    return (error as ConversionError).param;
  }
  throw new Error("the request was not refused");
}

/** The chunks that follow from the events of an upstream, without the end mark. */
export function chunksOf(converted: ConvertedRequest, events: readonly JsonObject[]): JsonObject[] {
  const stream = converted.answers.stream();
  const all: ClientEvent[] = [...events.flatMap((event) => stream.take(event)), ...stream.end()];
  expect(all.pop()).toEqual({ event: null, data: "[DONE]" });
  return all.map(({ event, data }) => {
    expect(event).toBeNull();
    return data as JsonObject;
  });
}
