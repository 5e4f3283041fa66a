import type { AnswerFacts, AnswerIds } from "../answer-facts.ts";
import { toToolInput } from "../arguments/tool-input.ts";
import { badUpstreamResponse } from "../errors/messages-error.ts";
import { toMessagesErrorOfEvent } from "../errors/to-messages-error.ts";
import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import type { ContentBlock, Message, ToolUseBlock } from "../messages.ts";
import { contentText, reasoningText } from "./message-parts.ts";
import { toStopReason } from "./stop-reason.ts";
import { ThinkTagSplitter } from "./think-tags.ts";
import { noUsage, toMessagesUsage } from "./usage.ts";

/**
 * A chat completion as a message.
 * @param completion the parsed body of a successful response
 * @throws MessagesError when the body contains an error after all, or no response
 */
export function toMessagesResponse(completion: unknown, facts: AnswerFacts, ids: AnswerIds): Message {
  if (!isJsonObject(completion)) {
    throw badUpstreamResponse("The provider's response is not a chat completion.");
  }
  const { choices, error, usage } = completion;
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  if (isGiven(error) && !isGiven(choice)) {
    throw toMessagesErrorOfEvent(completion, facts);
  }
  if (!isJsonObject(choice) || !isJsonObject(choice["message"])) {
    throw badUpstreamResponse("The provider's response has no choices.");
  }
  const { message } = choice;
  const finishReason = textOf(choice["finish_reason"]);
  if (finishReason === "error") {
    throw badUpstreamResponse("The provider interrupted its response.");
  }
  const isTruncated = finishReason === "length";
  const calls = readCalls(message).map((call) => ({ ...call, input: toToolInput(call.arguments, isTruncated) }));
  const refusal = textOf(message["refusal"]);
  const content: ContentBlock[] = [...speechBlocks(message, refusal, facts), ...toolUseBlocks(calls, facts, ids)];
  const ending = {
    finishReason,
    hasToolUse: calls.length > 0,
    hasRefusal: refusal !== null,
    stoppedBy: choice["stop_reason"],
    stopSequences: facts.stopSequences,
  };
  return {
    id: ids.messageId,
    type: "message",
    role: "assistant",
    model: facts.requestedModel,
    content,
    ...toStopReason(ending),
    usage: toMessagesUsage(usage),
  };
}

/** The response to a request that only warms a cache. */
export function toEmptyMessage(facts: AnswerFacts, ids: AnswerIds): Message {
  return {
    id: ids.messageId,
    type: "message",
    role: "assistant",
    model: facts.requestedModel,
    content: [],
    stop_reason: "max_tokens",
    stop_sequence: null,
    usage: { ...noUsage },
  };
}

/** Thinking, if the client wants it, and then the text. Text that is only white space is dropped. */
function speechBlocks(message: JsonObject, refusal: string | null, facts: AnswerFacts): ContentBlock[] {
  let thinking = reasoningText(message);
  let text = contentText(message["content"]);
  if (facts.splitsThinkTags) {
    const splitter = new ThinkTagSplitter();
    const pieces = [...splitter.push(text), ...splitter.end()];
    const joined = (kind: string) => pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
    thinking += joined("thinking");
    text = joined("text");
  }
  text += refusal ?? "";
  const blocks: ContentBlock[] = [];
  if (thinking !== "" && facts.wantsThinking) {
    blocks.push({ type: "thinking", thinking, signature: "" });
  }
  if (text.trim() !== "") {
    blocks.push({ type: "text", text });
  }
  return blocks;
}

type Call = { readonly id: string | null; readonly name: string; readonly arguments: unknown };

/** Calls without a name can't be passed on to anyone. */
function readCalls(message: JsonObject): Call[] {
  const { tool_calls: listed, function_call: legacy } = message;
  const calls: unknown[] = Array.isArray(listed) && listed.length > 0 ? listed : [{ function: legacy }];
  return calls.flatMap((call): Call[] => {
    const target = isJsonObject(call) ? call["function"] : null;
    const name = isJsonObject(target) ? textOf(target["name"]) : null;
    if (!isJsonObject(call) || !isJsonObject(target) || name === null) {
      return [];
    }
    return [{ id: textOf(call["id"]), name, arguments: target["arguments"] }];
  });
}

function toolUseBlocks(
  calls: readonly (Call & { readonly input: ToolUseBlock["input"] })[],
  facts: AnswerFacts,
  ids: AnswerIds,
): ToolUseBlock[] {
  const used = new Set(facts.usedToolIds);
  return calls.map(({ id, name, input }) => {
    const ownId = id === null || used.has(id) ? ids.makeToolUseId() : id;
    used.add(ownId);
    return { type: "tool_use", id: ownId, name: facts.toolNames.get(name) ?? name, input };
  });
}
