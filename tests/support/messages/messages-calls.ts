import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import type { ChatCompletionRequest, ChatMessage } from "@sluice/messages-conversion/chat-completions";
import { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import type { JsonObject } from "@sluice/messages-conversion/json";
import type { ContentBlock, Message, MessagesEvent, MessagesUsage } from "@sluice/messages-conversion/messages";
import { completeModelFlags, type ModelFlags } from "@sluice/messages-conversion/model-flags";
import {
  type ConvertedRequest,
  fromMessagesRequest,
  readMessagesRequest,
} from "@sluice/messages-conversion/request/from-messages-request";
import { toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import type { StreamInput } from "@sluice/messages-conversion/stream/stream-input";

/**
 * Requests, responses and streams for tests of the conversion, with defaults for everything that a test does not
 * mention.
 */

export const sha256Hex = (plain: string): string => new Bun.CryptoHasher("sha256").update(plain).digest("hex");

const envelope = { model: "claude-test", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };

export function convertCall(fields: JsonObject, flags: Partial<ModelFlags> = {}, isStrict = false): ConvertedRequest {
  const request = readMessagesRequest({ ...envelope, ...fields });
  return fromMessagesRequest(request, {
    upstreamModel: "upstream-model",
    flags: completeModelFlags(flags),
    sha256Hex,
    isStrict,
  });
}

/** The body sent upstream. */
export function upstreamBody(fields: JsonObject, flags: Partial<ModelFlags> = {}): ChatCompletionRequest {
  return convertCall(fields, flags).body;
}

/** The messages sent upstream for a conversation. */
export function upstreamMessages(messages: readonly unknown[], flags: Partial<ModelFlags> = {}): ChatMessage[] {
  return convertCall({ messages }, flags).body.messages;
}

/** The error with which something is refused. */
export function refusalOf(attempt: () => unknown): MessagesError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof MessagesError) {
      return error;
    }
    throw error;
  }
  throw new Error("it was not refused");
}

export const refusedCall = (fields: JsonObject, flags: Partial<ModelFlags> = {}): MessagesError =>
  refusalOf(() => convertCall(fields, flags));

export function answerFacts(more: Partial<AnswerFacts> = {}): AnswerFacts {
  return {
    requestedModel: "claude-test",
    upstreamModel: "upstream-model",
    isStream: true,
    maxTokens: 1_000,
    wantsThinking: false,
    toolNames: new Map(),
    usedToolIds: new Set(),
    eagerTools: new Set(),
    stopSequences: [],
    isLenientAtEof: false,
    splitsThinkTags: false,
    ...more,
  };
}

export function answerIds(): AnswerIds {
  let made = 0;
  return {
    messageId: "msg_0",
    makeToolUseId: () => {
      made += 1;
      return `toolu_${made}`;
    },
  };
}

/** The response for a message and the other fields of its choice. */
export function answerTo(message: JsonObject, choice: JsonObject = {}, facts: Partial<AnswerFacts> = {}): Message {
  const completion = { id: "chatcmpl-1", choices: [{ index: 0, message, finish_reason: "stop", ...choice }] };
  return toMessagesResponse(completion, answerFacts(facts), answerIds());
}

/** A chunk with one delta. */
export function chunk(delta: JsonObject, more: JsonObject = {}): StreamInput {
  const { finish_reason: finishReason = null, stop_reason: stopReason, ...rest } = more;
  const choice = { index: 0, delta, finish_reason: finishReason, stop_reason: stopReason };
  return { kind: "chunk", chunk: { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [choice], ...rest } };
}

export const text = (content: string): StreamInput => chunk({ content });
export const reasoning = (content: string): StreamInput => chunk({ reasoning_content: content });
export const finish = (reason: string): StreamInput => chunk({}, { finish_reason: reason });
export const done: StreamInput = { kind: "done" };
export const eof: StreamInput = { kind: "eof" };

export function usageChunk(usage: JsonObject): StreamInput {
  return { kind: "chunk", chunk: { id: "chatcmpl-1", choices: [], usage } };
}

/** A piece of a tool call; fields that are left out are absent on the wire. */
export function callPiece(piece: { index?: number; id?: string; name?: string; arguments?: string }): StreamInput {
  return chunk({ tool_calls: [wirePiece(piece)] });
}

export function wirePiece(piece: { index?: number; id?: string; name?: string; arguments?: string }): JsonObject {
  const { index, id, ...target } = piece;
  return {
    ...(index === undefined ? {} : { index }),
    ...(id === undefined ? {} : { id, type: "function" }),
    function: target,
  };
}

export type StreamRun = {
  readonly events: readonly MessagesEvent[];
  readonly stream: MessagesStream;
};

/** The output of a stream for its inputs, all at the same moment. */
export function runStream(inputs: readonly StreamInput[], facts: Partial<AnswerFacts> = {}): StreamRun {
  const stream = new MessagesStream({ facts: answerFacts(facts), ids: answerIds(), inputTokens: 7, nowMs: 0 });
  return { events: inputs.flatMap((input) => stream.reduce(input, 0)), stream };
}

/** Events without the frame that every stream has: message_start and ping at the head. */
export function eventsOf(inputs: readonly StreamInput[], facts: Partial<AnswerFacts> = {}): MessagesEvent[] {
  return runStream(inputs, facts).events.filter(({ type }) => type !== "message_start" && type !== "ping");
}

export type FoldedStream = {
  readonly content: readonly ContentBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: MessagesUsage | null;
  readonly error: { type: string; message: string } | null;
  readonly isStopped: boolean;
  /** Arguments that were sent in deltas were torn by the limit of the response. */
  readonly isTorn: boolean;
};

/**
 * Reads events like the strictest client: checks every rule of the order of events.
 * @throws Error that says which rule is broken
 */
export function foldEvents(events: readonly MessagesEvent[]): FoldedStream {
  const content: ContentBlock[] = [];
  const inputs: string[] = [];
  let open: number | null = null;
  let delta: Extract<MessagesEvent, { type: "message_delta" }> | null = null;
  let error: FoldedStream["error"] = null;
  let isStarted = false;
  let isStopped = false;
  let isTorn = false;
  const check = (isTrue: boolean, rule: string) => {
    if (!isTrue) {
      throw new Error(`${rule}: ${JSON.stringify(events)}`);
    }
  };
  for (const event of events) {
    check(!isStopped && error === null, "nothing follows the end");
    check(isStarted || event.type === "message_start", "message_start comes first");
    switch (event.type) {
      case "message_start":
        check(!isStarted, "there is one message_start");
        check(event.message.content.length === 0 && event.message.usage.input_tokens >= 0, "message_start is empty");
        isStarted = true;
        break;
      case "content_block_start":
        check(open === null && event.index === content.length, "one block is open, without gaps");
        check(delta === null, "no block follows message_delta");
        open = event.index;
        content.push(structuredClone(event.content_block));
        inputs.push("");
        break;
      case "content_block_delta": {
        check(open === event.index, "a delta belongs to the open block");
        const block = content[event.index];
        if (event.delta.type === "text_delta" && block?.type === "text") {
          block.text += event.delta.text;
        } else if (event.delta.type === "thinking_delta" && block?.type === "thinking") {
          block.thinking += event.delta.thinking;
        } else if (event.delta.type === "input_json_delta" && block?.type === "tool_use") {
          inputs[event.index] += event.delta.partial_json;
        } else {
          check(false, "a delta is of the kind of its block");
        }
        break;
      }
      case "content_block_stop": {
        check(open === event.index, "only the open block is stopped");
        open = null;
        const block = content[event.index];
        const json = inputs[event.index] ?? "";
        if (block?.type === "tool_use" && json !== "") {
          isTorn = isTorn || !isJson(json);
          block.input = isTorn ? {} : JSON.parse(json);
          check(typeof block.input === "object" && block.input !== null, "an input is an object");
        }
        break;
      }
      case "message_delta":
        check(open === null && delta === null, "one message_delta, after the last block");
        check(typeof event.usage.output_tokens === "number", "message_delta has usage");
        delta = event;
        break;
      case "message_stop":
        check(delta !== null, "message_delta comes before message_stop");
        check(!isTorn || delta?.delta.stop_reason === "max_tokens", "only the limit tears an input");
        isStopped = true;
        break;
      case "error":
        error = event.error;
        break;
      case "ping":
        break;
    }
  }
  return {
    content,
    stop_reason: delta?.delta.stop_reason ?? null,
    stop_sequence: delta?.delta.stop_sequence ?? null,
    usage: delta?.usage ?? null,
    error,
    isStopped,
    isTorn,
  };
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** The message that a stream results in, by the strictest reading. */
export function foldStream(inputs: readonly StreamInput[], facts: Partial<AnswerFacts> = {}): FoldedStream {
  return foldEvents(runStream(inputs, facts).events);
}
