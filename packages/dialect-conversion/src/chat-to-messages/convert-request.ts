import { FieldReader } from "../field-reader.ts";
import type { AnswersFrom, ConversionSettings, ConvertedRequest, ConvertRequest } from "../model.ts";
import type { ChatFacts } from "./answer-settings.ts";
import { MessagesAnswers } from "./answers.ts";
import { type CacheMark, toTextBlocks } from "./blocks.ts";
import { noteDroppedFields } from "./dropped-fields.ts";
import { convertHistory } from "./history.ts";
import type { MessagesRequest } from "./messages-request.ts";
import { convertOutputFormat } from "./output-format.ts";
import { newRequestContext, type RequestContext } from "./request-context.ts";
import { convertSampling, readMaxTokens, readStopSequences } from "./sampling.ts";
import { convertThinking } from "./thinking.ts";
import { type ChosenTools, chooseTools } from "./tool-choice.ts";
import { convertTools, toolsOfHistory } from "./tools.ts";
import type { ConvertedHistory } from "./turn-writer.ts";

/** A request for a chat completion, as one for a message. @throws ConversionError if it has no counterpart */
export const toMessagesRequest: ConvertRequest = (request, settings) => {
  const reader = new FieldReader(request, "");
  const context = newRequestContext(settings.flags);
  const isStream = reader.flag("stream") === true;
  const wantsUsage = reader.object("stream_options")?.flag("include_usage") === true;
  const body = toBody(reader, settings, context);
  const { clientModel, nowSeconds, makeId } = settings;
  const facts: ChatFacts = { clientModel, nowSeconds, toolNames: context.toolNames.originals, wantsUsage };
  return {
    body: isStream ? { ...body, stream: true } : body,
    dropped: context.dropped.list(),
    facts,
    answers: answersToChat(facts, makeId),
  } satisfies ConvertedRequest;
};

/** Responses of the Messages API as chat completions. */
export const answersToChat: AnswersFrom = (facts, makeId) => {
  const { clientModel, nowSeconds, toolNames, wantsUsage } = facts as ChatFacts;
  return new MessagesAnswers({ settings: { clientModel, nowSeconds, makeId }, toolNames, wantsUsage });
};

function toBody(request: FieldReader, settings: ConversionSettings, context: RequestContext): MessagesRequest {
  noteDroppedFields(request, context);
  const definitions = convertTools(request, context);
  const history = convertHistory(request, context);
  const { format, instruction } = convertOutputFormat(request);
  const chosen = withToolsOfHistory(chooseTools(request, definitions, context), history);
  const maxTokens = readMaxTokens(request, settings.outputTokensMax);
  const { turns } = history;
  const thought = convertThinking(request, { maxTokens, turns, choice: chosen.choice }, context);
  const system = [...history.system, ...toTextBlocks(instruction ?? "")];
  const stops = readStopSequences(request);
  const outputConfig = {
    ...(thought.effort === null ? {} : { effort: thought.effort }),
    ...(format === null ? {} : { format }),
  };
  return {
    model: settings.upstreamModel,
    max_tokens: maxTokens,
    ...toCaching(request, history, context),
    ...(system.length === 0 ? {} : { system }),
    ...(chosen.tools.length === 0 ? {} : { tools: chosen.tools }),
    ...(thought.choice === null ? {} : { tool_choice: thought.choice }),
    messages: turns,
    ...(thought.thinking === null ? {} : { thinking: thought.thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...convertSampling(request, thought.isThinking, context),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
  };
}

function withToolsOfHistory(chosen: ChosenTools, { turns }: ConvertedHistory): ChosenTools {
  const called = chosen.tools.length === 0 ? toolsOfHistory(turns) : [];
  return called.length === 0 ? chosen : { tools: called, choice: { type: "none" } };
}

/** Conversations get a moving mark if the client set none; a single question would only pay for being written. */
function toCaching(request: FieldReader, { turns }: ConvertedHistory, context: RequestContext): CacheMark {
  const ofClient = context.cacheMarks.read(request);
  const isConversation = turns.some(({ role }) => role === "assistant");
  const isAutomatic = context.flags.automaticCaching && isConversation && !context.cacheMarks.hasAny;
  return isAutomatic ? { cache_control: { type: "ephemeral" } } : ofClient;
}
