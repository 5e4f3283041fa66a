/** POST /v1/messages, whole and streamed, and POST /v1/messages/count_tokens. */
import type { ApiCall } from "../api/api-call.ts";
import { eventsAnswer, jsonAnswer } from "../api/json-answer.ts";
import { makeReply } from "../api/reply.ts";
import type { Wishes } from "../api/wishes.ts";
import type { Answer } from "../wire/plan.ts";
import { blocksOf, isBlock, textBlocks } from "./blocks.ts";
import { checkSampling, checkTools, isThinking, requireMessagesBody } from "./check-request.ts";
import { checkTurns } from "./check-turns.ts";
import { messageEvents } from "./message-events.ts";
import { messageUsage, usageAtEnd, usageAtStart } from "./message-usage.ts";
import { messagesDialect } from "./messages-dialect.ts";
import { endOf, outputBlocks } from "./output-blocks.ts";
import { promptPrefixes } from "./prompt-prefixes.ts";
import { type CountRequest, type MessageRequest, parseCountRequest, parseMessageRequest } from "./request-schema.ts";

/** @throws RequestRefused */
export function answerMessages(call: ApiCall): Answer {
  const { request, behaviour, account } = call;
  const body = requireMessagesBody(request);
  const message = parseMessageRequest(body);
  checkTurns(message, account.signatureKey);
  checkTools(message);
  checkSampling(message, request.header("anthropic-version"));
  const prefixes = promptPrefixes(body);
  const reply = makeReply({
    wishes: readWishes(message),
    behaviour,
    spoken: messagesDialect.spoken(request),
    tokensMax: message.max_tokens,
    promptTokens: prefixes.at(-1)?.tokens ?? 0,
    cache: account.promptCache.use(prefixes),
    canBeEndless: message.stream === true,
    // The index starts over after a restart, but a conversation that continues needs new ids.
    callIds: `toolu_sandbox_${call.index}_${message.messages.length}`,
  });
  const [choice] = reply.choices;
  if (choice === undefined) {
    throw new Error("a reply has at least one choice");
  }
  const blocks = outputBlocks(choice, { isThinkingOmitted: isThinkingOmitted(message), behaviour, account });
  const begun = {
    id: `msg_sandbox_${call.index}`,
    type: "message",
    role: "assistant",
    model: message.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  const end = endOf(choice);
  const isCounted = behaviour.omitUsage !== true;
  if (message.stream === true) {
    const start = isCounted ? { ...begun, usage: usageAtStart(reply.counts, behaviour) } : begun;
    const usage = isCounted ? usageAtEnd(reply.counts, behaviour) : null;
    return eventsAnswer(messageEvents({ start, blocks, end, usage }));
  }
  const usage = isCounted ? { usage: messageUsage(reply.counts, behaviour) } : {};
  return jsonAnswer({ ...begun, content: blocks.map(({ whole }) => whole()), ...end, ...usage });
}

/** @throws RequestRefused */
export function answerTokenCount({ request, account }: ApiCall): Answer {
  const body = requireMessagesBody(request);
  const counted = parseCountRequest(body);
  checkTurns(counted, account.signatureKey);
  checkTools(counted);
  return jsonAnswer({ input_tokens: promptPrefixes(body).at(-1)?.tokens ?? 0 });
}

function readWishes(message: MessageRequest): Wishes {
  const choice = message.tool_choice;
  const format = message.output_config?.format ?? message.output_format;
  const isPreparation = message.max_tokens === 0;
  return {
    choices: 1,
    stop: message.stop_sequences ?? [],
    tools: offeredTools(message),
    toolChoice: {
      mode: choice?.type === "any" ? "required" : choice?.type === "none" || isPreparation ? "none" : "auto",
      forced: choice?.type === "tool" ? choice.name : null,
      allowed: null,
      isParallel: !(choice !== undefined && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use),
    },
    structure: format == null ? null : { schema: format.schema },
    reasoning: isThinking(message.thinking) && !isPreparation ? "shown" : "none",
    toolResults: lastResults(message),
  };
}

function isThinkingOmitted({ thinking }: MessageRequest): boolean {
  return thinking !== undefined && "display" in thinking && thinking.display === "omitted";
}

/** Tools that the provider runs itself are never called. */
function offeredTools({ tools = [] }: CountRequest): Wishes["tools"] {
  return tools.flatMap(({ name, input_schema: parameters }) =>
    name === undefined || parameters === undefined ? [] : [{ name, parameters }],
  );
}

function lastResults({ messages }: MessageRequest): readonly string[] {
  const last = messages.findLast((turn) => turn.role !== "system");
  return blocksOf(last?.content)
    .filter((block) => isBlock(block, "tool_result"))
    .map((block) => textBlocks(block["content"]).join(" "));
}
