/**
 * What the fake provider sends where calls may be converted: in each dialect an answer as long as that of chat, and a
 * stream of as many writes. Each write has one piece of text, which begins with the time at which it is sent.
 */
import {
  ANSWER_BYTES,
  type Answers,
  CHUNKS_PER_STREAM,
  CREATED_AT,
  EVENT_BYTES,
  encodeAnswers,
  endOfChatStream,
  fillText,
  sendTimePlaceholder,
  wordAt,
} from "./answers.ts";
import type { CallDialect } from "./call.ts";

const INPUT_TOKENS = 410;
const OUTPUT_TOKENS = 96;
const model = "bench-model-2026-01-01";
const pieces = Array.from({ length: CHUNKS_PER_STREAM }, (_, index) => sendTimePlaceholder + wordAt(index));

/** The events around the pieces of text, which go into the first and the last write. */
type Frame = { readonly before: readonly string[]; readonly after: readonly string[] };

function writesOf(pieceEvent: (text: string, index: number) => string, { before, after }: Frame): string[][] {
  return pieces.map((text, index) => {
    const opening = index === 0 ? before : [];
    const closing = index === CHUNKS_PER_STREAM - 1 ? after : [];
    return [[...opening, pieceEvent(text, index), ...closing].join("")];
  });
}

/** A body with as much text as makes it as long as every answer. */
function filled(body: (text: string) => object): string {
  return JSON.stringify(body(fillText(ANSWER_BYTES - JSON.stringify(body("")).length)));
}

/** An event of a dialect that pads its pieces. */
function padded(event: (obfuscation: string) => string): string {
  return event("x".repeat(Math.max(0, EVENT_BYTES - event("").length)));
}

const chatUsage = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

function completion(content: string): object {
  return {
    ...{ id: "chatcmpl-BenchAnswer0000000000000001", object: "chat.completion", created: CREATED_AT, model },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: chatUsage,
    service_tier: "default",
  };
}

function chatEvent(fields: object): string {
  const head = { id: "chatcmpl-BenchStream0000000000000001", object: "chat.completion.chunk", created: CREATED_AT };
  return `data: ${JSON.stringify({ ...head, model, service_tier: "default", ...fields })}\n\n`;
}

function chatPiece(content: string, index: number): string {
  const delta = index === 0 ? { role: "assistant", content, refusal: null } : { content };
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: null }];
  return padded((obfuscation) => chatEvent({ choices, usage: null, obfuscation }));
}

function chatEnd(): string[] {
  const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }];
  return [chatEvent({ choices, usage: null }), chatEvent({ choices: [], usage: chatUsage }), endOfChatStream];
}

const itemId = "msg_bench00000000000000000000000001";

function outputItem(status: string, text: string | null): object {
  const content = text === null ? [] : [{ type: "output_text", annotations: [], logprobs: [], text }];
  return { id: itemId, type: "message", status, content, role: "assistant" };
}

function response(status: string, text: string | null): object {
  return {
    ...{ id: "resp_bench0000000000000000000000001", object: "response", created_at: CREATED_AT, status },
    ...{ error: null, incomplete_details: null, instructions: null, max_output_tokens: 256, model },
    output: text === null ? [] : [outputItem(status, text)],
    ...{ parallel_tool_calls: true, previous_response_id: null, service_tier: "default", store: false },
    ...{ temperature: 0.7, tool_choice: "auto", tools: [], top_p: 1, truncation: "disabled" },
    usage:
      text === null
        ? null
        : {
            input_tokens: INPUT_TOKENS,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: OUTPUT_TOKENS,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
          },
    metadata: {},
  };
}

/** An event that is named as its type. */
function typedEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const textPlace = { item_id: itemId, output_index: 0, content_index: 0 };
const EVENTS_BEFORE_TEXT = 4;

function responsePiece(delta: string, index: number): string {
  return padded((obfuscation) =>
    typedEvent("response.output_text.delta", {
      sequence_number: EVENTS_BEFORE_TEXT + index,
      ...textPlace,
      ...{ delta, logprobs: [], obfuscation },
    }),
  );
}

function responseFrame(): Frame {
  const text = pieces.join("");
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const before: [type: string, fields: object][] = [
    ["response.created", { response: response("in_progress", null) }],
    ["response.in_progress", { response: response("in_progress", null) }],
    ["response.output_item.added", { output_index: 0, item: outputItem("in_progress", null) }],
    ["response.content_part.added", { ...textPlace, part: { ...part, text: "" } }],
  ];
  const after: typeof before = [
    ["response.output_text.done", { ...textPlace, text, logprobs: [] }],
    ["response.content_part.done", { ...textPlace, part }],
    ["response.output_item.done", { output_index: 0, item: outputItem("completed", text) }],
    ["response.completed", { response: response("completed", text) }],
  ];
  const numbered = (events: typeof before, first: number) =>
    events.map(([type, fields], index) => typedEvent(type, { sequence_number: first + index, ...fields }));
  return { before: numbered(before, 0), after: numbered(after, EVENTS_BEFORE_TEXT + CHUNKS_PER_STREAM) };
}

const inputUsage = { input_tokens: INPUT_TOKENS, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function message(text: string | null): object {
  return {
    ...{ id: "msg_bench0000000000000000001", type: "message", role: "assistant", model },
    content: text === null ? [] : [{ type: "text", text }],
    stop_reason: text === null ? null : "end_turn",
    stop_sequence: null,
    usage: { ...inputUsage, output_tokens: text === null ? 1 : OUTPUT_TOKENS, service_tier: "standard" },
  };
}

function messagePiece(text: string): string {
  return typedEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
}

function messageFrame(): Frame {
  return {
    before: [
      typedEvent("message_start", { message: message(null) }),
      typedEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ],
    after: [
      typedEvent("content_block_stop", { index: 0 }),
      typedEvent("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: OUTPUT_TOKENS },
      }),
      typedEvent("message_stop", {}),
    ],
  };
}

export const dialectAnswers: Readonly<Record<CallDialect, Answers>> = {
  chat: encodeAnswers(filled(completion), writesOf(chatPiece, { before: [], after: chatEnd() })),
  responses: encodeAnswers(
    filled((text) => response("completed", text)),
    writesOf(responsePiece, responseFrame()),
  ),
  messages: encodeAnswers(filled(message), writesOf(messagePiece, messageFrame())),
};
