import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { estimateInputTokens } from "@sluice/messages-conversion/estimate-tokens";
import type { Message } from "@sluice/messages-conversion/messages";
import { completeModelFlags, type ModelFlags } from "@sluice/messages-conversion/model-flags";
import { fromMessagesRequest, readMessagesRequest } from "@sluice/messages-conversion/request/from-messages-request";
import { toMessageEvents } from "@sluice/messages-conversion/response/to-message-events";
import { toEmptyMessage, toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { sha256Hex } from "../digest.ts";
import {
  type AnswersFrom,
  ConversionError,
  type ConversionSettings,
  type ConvertedRequest,
  type ConvertRequest,
} from "../model.ts";
import { MessageEvents, toClientEvent } from "./message-events.ts";

/** A request of the Messages API as one of chat completions. */
export const fromMessages: ConvertRequest = (request, settings) => refusing(() => convert(request, settings));

function convert(request: Parameters<ConvertRequest>[0], settings: ConversionSettings): ConvertedRequest {
  const { upstreamModel, clientModel, isStrict = false, makeId } = settings;
  const read = readMessagesRequest(request);
  const converted = fromMessagesRequest(read, { upstreamModel, flags: toModelFlags(settings), sha256Hex, isStrict });
  const { body, dropped, isPreWarm } = converted;
  const facts: AnswerFacts = { ...converted.facts, requestedModel: clientModel };
  const inputTokens = facts.isStream ? estimateInputTokens(body) : 0;
  const known = { answer: facts, inputTokens } satisfies MessageFacts;
  return {
    body,
    dropped,
    facts: known,
    answers: answersToMessages(known, makeId),
    ...(isPreWarm ? { ready: toEmptyMessage(facts, makeIds(makeId)) } : {}),
  };
}

/** The model map knows more about a model than its channel does. */
function toModelFlags({ flags, outputTokensMax, modelFlags = {} }: ConversionSettings): ModelFlags {
  const { max_output: mapped = null } = modelFlags;
  return completeModelFlags({
    token_param: flags.tokenParam,
    reasoning_history: flags.reasoningBack ? "keep" : "drop",
    split_think: flags.thinkTags,
    ...modelFlags,
    max_output: Math.min(outputTokensMax, mapped ?? outputTokensMax),
    // The sender of the request asks for the usage.
    include_usage: false,
  });
}

function makeIds(makeId: () => string): AnswerIds {
  return { messageId: `msg_${makeId()}`, makeToolUseId: () => `toolu_${makeId()}` };
}

/** What the response to a message needs of its request. */
type MessageFacts = {
  readonly answer: AnswerFacts;
  /** The estimated size of the prompt, until the upstream reports it. */
  readonly inputTokens: number;
};

export const answersToMessages: AnswersFrom = (known, makeId) => {
  const { answer: facts, inputTokens } = known as MessageFacts;
  return {
    whole: (answer) => refusing(() => ({ ...toMessagesResponse(answer, facts, makeIds(makeId)) })),
    events: (message) => toMessageEvents(message as unknown as Message).map(toClientEvent),
    stream: () => new MessageEvents(facts, makeIds(makeId), inputTokens),
  };
};

function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof MessagesError ? new ConversionError(error.message) : error;
  }
}
