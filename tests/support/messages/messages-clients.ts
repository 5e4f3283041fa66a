import Anthropic from "@anthropic-ai/sdk";
import type { MessagesEvent } from "@sluice/messages-conversion/messages";
import AnthropicBefore from "anthropic-sdk-0";
import { encodeSseEvent } from "./sse-text.ts";

/** The official clients, reading a stream from memory. */

/** The events as in the body of a response. */
export function encodeMessagesEvents(events: readonly MessagesEvent[]): Uint8Array {
  return new TextEncoder().encode(
    events.map((event) => encodeSseEvent({ event: event.type, data: JSON.stringify(event) })).join(""),
  );
}

/** What a client reads from a stream: every block, the final message, or the error that it throws. */
export type ClientReading = {
  readonly blocks: readonly unknown[];
  readonly message: {
    readonly content: readonly unknown[];
    readonly stop_reason: string | null;
    readonly usage: object;
  } | null;
  readonly error: Error | null;
};

const call = { model: "claude-test", max_tokens: 10, messages: [{ role: "user" as const, content: "hi" }] };

const settings = (events: readonly MessagesEvent[]) => ({
  apiKey: "key",
  baseURL: "http://127.0.0.1:9",
  maxRetries: 0,
  fetch: () =>
    Promise.resolve(
      new Response(encodeMessagesEvents(events), {
        headers: { "content-type": "text/event-stream", "request-id": "req_1" },
      }),
    ),
});

type ReadableStreamOfMessages = {
  on(event: "contentBlock", listener: (block: unknown) => void): unknown;
  on(event: "inputJson", listener: (piece: string, input: unknown) => void): unknown;
  finalMessage(): Promise<NonNullable<ClientReading["message"]>>;
};

async function read(stream: ReadableStreamOfMessages): Promise<ClientReading> {
  const blocks: unknown[] = [];
  stream.on("contentBlock", (block) => blocks.push(structuredClone(block)));
  // A listener makes the client read the arguments piece by piece.
  stream.on("inputJson", (_piece, input) => JSON.stringify(input));
  try {
    return { blocks, message: await stream.finalMessage(), error: null };
  } catch (error) {
    return { blocks, message: null, error: error as Error };
  }
}

/** The same stream read by the current client and by the previous version. */
export const officialClients: readonly (readonly [
  name: string,
  (events: readonly MessagesEvent[]) => Promise<ClientReading>,
])[] = [
  ["1.x", (events) => read(new Anthropic(settings(events)).messages.stream(call) as never)],
  ["0.x", (events) => read(new AnthropicBefore(settings(events)).messages.stream(call) as never)],
];
