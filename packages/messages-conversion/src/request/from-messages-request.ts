import type { AnswerFacts } from "../answer-facts.ts";
import type { ChatCompletionRequest, ChatMessage } from "../chat-completions.ts";
import { invalidRequest, MessagesError, ThreadUnsupportedError } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject } from "../json.ts";
import type { ModelFlags, ReasoningEffort } from "../model-flags.ts";
import { listOf } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { DroppedFeatures } from "./dropped-features.ts";
import { convertHistory } from "./history.ts";
import { mergeMessages } from "./merge-messages.ts";
import { convertOutputFormat } from "./output-format.ts";
import { chooseReasoningEffort, readThinkingRequest } from "./reasoning-effort.ts";
import { convertSampling, convertServiceTier, convertStopSequences, convertUserId } from "./sampling.ts";
import { readSystemText } from "./system-text.ts";
import { TalkSettings } from "./talk-settings.ts";
import { convertToolChoice } from "./tool-choice.ts";
import { ToolNames } from "./tool-names.ts";
import { convertTools } from "./tools.ts";
import { noteUnknownFields } from "./unknown-fields.ts";

/** A request whose outermost fields have been validated. */
export type MessagesRequest = {
  readonly body: JsonObject;
  readonly model: string;
  readonly messages: readonly unknown[];
  /** The output limit; null where none is needed. */
  readonly maxTokens: number | null;
  readonly isStream: boolean;
};

/** The upstream model for the client's model name. */
export type ConversionTarget = {
  readonly upstreamModel: string;
  readonly flags: ModelFlags;
  /** Computes the SHA-256 of a text's UTF-8 bytes in lower-case hexadecimal. */
  readonly sha256Hex: (text: string) => string;
  /** Refuses the fields that could otherwise be dropped. */
  readonly isStrict?: boolean;
};

export type ConvertedRequest = {
  readonly body: ChatCompletionRequest;
  readonly facts: AnswerFacts;
  /** Names of the dropped fields, in alphabetical order. */
  readonly dropped: readonly string[];
  /** The client only warms a cache: no upstream call is made, the response is an empty message. */
  readonly isPreWarm: boolean;
};

/**
 * Parses the outermost fields of a body, so that the model can be looked up.
 * @param needsMaxTokens false for counting tokens
 * @throws MessagesError with the first invalid field
 */
export function readMessagesRequest(body: unknown, needsMaxTokens = true): MessagesRequest {
  if (!isJsonObject(body)) {
    throw new MessagesError(400, "invalid_request_error", "The request body is not a JSON object.");
  }
  const { model, messages, stream } = body;
  if (typeof model !== "string" || model === "") {
    throw invalidRequest("model", model === undefined ? "Field required" : "Input should be a valid string");
  }
  if (isGiven(body["thread"])) {
    // With this field, `messages` contains only new messages, so dropping it would lose the conversation.
    throw new ThreadUnsupportedError();
  }
  const maxTokens = readMaxTokens(body, needsMaxTokens);
  if (!Array.isArray(messages)) {
    throw invalidRequest("messages", messages === undefined ? "Field required" : "Input should be a valid list");
  }
  if (messages.length === 0) {
    throw invalidRequest("messages", "at least one message is required");
  }
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw invalidRequest("stream", "Input should be a valid boolean");
  }
  return { body, model, messages, maxTokens, isStream: stream === true };
}

function readMaxTokens(body: JsonObject, isNeeded: boolean): number | null {
  const { max_tokens: value } = body;
  if (value === undefined || value === null) {
    if (isNeeded) {
      throw invalidRequest("max_tokens", "Field required");
    }
    return null;
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw invalidRequest("max_tokens", "Input should be a valid integer");
  }
  if (value < 0) {
    throw invalidRequest("max_tokens", "Input should be greater than or equal to 0");
  }
  return value;
}

/** The name to look a model up by: without the suffix for a longer context that clients add. */
export function modelLookupName(model: string): string {
  return model.endsWith("[1m]") ? model.slice(0, -"[1m]".length) : model;
}

/** The error for a model that is not in the map. @param model the name that the client sent */
export function unknownModel(model: string): MessagesError {
  return new MessagesError(404, "not_found_error", `model: ${model}`);
}

/**
 * Converts a Messages request to a chat completions request. The same request always gives the same body.
 * @throws MessagesError with the first location that is invalid or can't be converted
 */
export function fromMessagesRequest(request: MessagesRequest, target: ConversionTarget): ConvertedRequest {
  const { flags, sha256Hex } = target;
  const { body } = request;
  const context: RequestContext = {
    flags,
    names: new ToolNames(sha256Hex),
    dropped: new DroppedFeatures(),
    toolIds: new Set(),
    talk: new TalkSettings(),
  };
  context.dropped.addMarksOf(body);
  const messages = convertMessages(request, context);
  const tools = convertTools(listOf(body, "tools"), context);
  const choice = convertToolChoice(body["tool_choice"], tools, context);
  const stop = convertStopSequences(body, context);
  const sampling = convertSampling(body, context);
  const wish = readThinkingRequest(body, request.maxTokens, context);
  const effort = chooseReasoningEffort(wish, tools.tools.length > 0, context);
  const converted: ChatCompletionRequest = {
    model: target.upstreamModel,
    messages,
    ...(tools.tools.length > 0 ? { tools: [...tools.tools] } : {}),
    ...choice,
    ...outputLimit(request.maxTokens, flags),
    ...(stop.length > 0 ? { stop: [...stop] } : {}),
    ...sampling,
    ...reasoningFields(effort),
    ...convertOutputFormat(body, context),
    ...convertUserId(body, sha256Hex, context),
    ...convertServiceTier(body, context),
    stream: request.isStream,
    ...(request.isStream && flags.include_usage ? { stream_options: { include_usage: true } } : {}),
  };
  noteUnknownFields(body, context);
  const dropped = context.dropped.list();
  if (target.isStrict === true && dropped.length > 0) {
    throw new MessagesError(400, "invalid_request_error", `not supported by this model: ${dropped.join(", ")}`);
  }
  const facts: AnswerFacts = {
    requestedModel: request.model,
    upstreamModel: target.upstreamModel,
    isStream: request.isStream,
    maxTokens: request.maxTokens,
    wantsThinking: wish.wantsThinking,
    toolNames: context.names.originals,
    usedToolIds: context.toolIds,
    eagerTools: tools.eagerToolNames,
    stopSequences: stop,
    isLenientAtEof: flags.lenient_eof,
    splitsThinkTags: flags.split_think,
  };
  return { body: converted, facts, dropped, isPreWarm: request.maxTokens === 0 };
}

function convertMessages(request: MessagesRequest, context: RequestContext): ChatMessage[] {
  const history = convertHistory(request.messages, context);
  if (!history.messages.some(({ role }) => role !== "system")) {
    throw invalidRequest("messages", "at least one message must have content");
  }
  const system = [readSystemText(request.body["system"], "system", context), ...history.hoisted];
  const systemText = system.filter((text) => text !== "").join("\n\n");
  const spoken = context.flags.merge ? mergeMessages(history.messages) : history.messages;
  return systemText === "" ? spoken : [{ role: "system", content: systemText }, ...spoken];
}

function outputLimit(maxTokens: number | null, flags: ModelFlags): Partial<ChatCompletionRequest> {
  return maxTokens === null ? {} : { [flags.token_param]: Math.min(maxTokens, flags.max_output ?? maxTokens) };
}

function reasoningFields(effort: ReasoningEffort | null): Partial<ChatCompletionRequest> {
  return effort === null ? {} : { reasoning_effort: effort };
}
