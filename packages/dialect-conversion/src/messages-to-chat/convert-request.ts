import type { AnswerFacts, AnswerIds } from "@sluice/messages-conversion/answer-facts";
import { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { estimateInputTokens } from "@sluice/messages-conversion/estimate-tokens";
import { completeModelFlags } from "@sluice/messages-conversion/model-flags";
import { fromMessagesRequest, readMessagesRequest } from "@sluice/messages-conversion/request/from-messages-request";
import { toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { sha256Hex } from "../digest.ts";
import { ConversionError, type ConversionSettings, type ConvertedRequest, type ConvertRequest } from "../model.ts";
import { MessageEvents } from "./message-events.ts";

/** A request of the Messages API as one of chat completions. */
export const fromMessages: ConvertRequest = (request, settings) => refusing(() => convert(request, settings));

function convert(request: Parameters<ConvertRequest>[0], settings: ConversionSettings): ConvertedRequest {
  const { upstreamModel, clientModel, outputTokensMax, flags, makeId } = settings;
  const read = readMessagesRequest(request);
  const converted = fromMessagesRequest(read, {
    upstreamModel,
    flags: completeModelFlags({
      token_param: flags.tokenParam,
      max_output: outputTokensMax,
      reasoning_history: flags.reasoningBack ? "keep" : "drop",
      // The sender of the request asks for the usage.
      include_usage: false,
    }),
    sha256Hex,
  });
  if (converted.isPreWarm) {
    throw new ConversionError("max_tokens: 0 only fills a cache, and this model has none to fill", "max_tokens");
  }
  const { body, dropped } = converted;
  const facts: AnswerFacts = { ...converted.facts, requestedModel: clientModel };
  const ids = (): AnswerIds => ({ messageId: `msg_${makeId()}`, makeToolUseId: () => `toolu_${makeId()}` });
  return {
    body,
    dropped,
    answers: {
      whole: (answer) => refusing(() => ({ ...toMessagesResponse(answer, facts, ids()) })),
      stream: () => new MessageEvents(facts, ids(), estimateInputTokens(body)),
    },
  };
}

function refusing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof MessagesError ? new ConversionError(error.message) : error;
  }
}
