/** POST /v1/chat/completions, whole and streamed. */
import type { Behaviour } from "../script/behaviour.ts";
import { doneEvent } from "../wire/events.ts";
import type { Answer, SseEvent } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { eventsAnswer, jsonAnswer, refuse } from "./json-answer.ts";
import { readWishes } from "./openai-wishes.ts";
import { asArray, asObject, lastUserText, optionalCount, requireBody } from "./prompt.ts";
import { type Choice, makeReply, promptTokens, type Reply } from "./reply.ts";
import { wholeText } from "./text-source.ts";
import { argumentFragments, type ToolCall } from "./tool-calls.ts";
import { chatUsage, usagePlacement } from "./usage-shapes.ts";

/** @throws RequestRefused */
export function answerChat(call: ApiCall): Answer {
  const { request, behaviour } = call;
  const body = requireBody(request);
  if (asArray(body["messages"]).length === 0) {
    throw refuse("Invalid 'messages': empty array or missing.", "messages", "invalid_value");
  }
  if (body["stream_options"] != null && body["stream"] !== true) {
    throw refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  const reply = makeReply({
    wishes: readWishes(body),
    behaviour,
    spoken: lastUserText(request),
    tokensMax: optionalCount(body, "max_completion_tokens", 1) ?? optionalCount(body, "max_tokens", 1),
    promptTokens: promptTokens(body["messages"], body["tools"]),
    canBeEndless: body["stream"] === true,
    callIds: `call_sandbox_${call.index}`,
  });
  const base = {
    id: `chatcmpl-sandbox-${call.index}`,
    object: body["stream"] === true ? "chat.completion.chunk" : "chat.completion",
    created: call.createdAtSeconds,
    model: body.model,
    service_tier: "default",
    system_fingerprint: "fp_sandbox",
  };
  if (body["stream"] !== true) {
    return jsonAnswer(wholeChat(reply, behaviour, base));
  }
  const isUsageWanted = asObject(body["stream_options"])["include_usage"] === true;
  return eventsAnswer(chatEvents({ reply, behaviour, base, isUsageWanted }));
}

function wholeChat(reply: Reply, behaviour: Behaviour, base: object): object {
  const choices = reply.choices.map((choice, index) => ({
    index,
    message: wholeMessage(choice),
    logprobs: null,
    finish_reason: choice.finishReason,
  }));
  const usage = behaviour.omitUsage === true ? {} : { usage: chatUsage(reply.counts, behaviour) };
  return { ...base, choices, ...usage };
}

function wholeMessage(choice: Choice): object {
  const text = wholeText(choice.text);
  const reasoning = choice.reasoning === "" ? {} : { reasoning_content: choice.reasoning };
  const message = { role: "assistant", ...reasoning, content: text === "" ? null : text, refusal: choice.refusal };
  if (choice.toolCalls.length === 0) {
    return { ...message, content: choice.refusal === null ? text : null, annotations: [] };
  }
  return { ...message, tool_calls: choice.toolCalls.map((call) => describeCall(call, call.arguments)) };
}

type ChatStream = {
  readonly reply: Reply;
  readonly behaviour: Behaviour;
  readonly base: object;
  readonly isUsageWanted: boolean;
};

function* chatEvents(stream: ChatStream): Iterable<SseEvent> {
  const { reply, behaviour } = stream;
  const usage = behaviour.omitUsage === true ? null : chatUsage(reply.counts, behaviour);
  const placement = usagePlacement(behaviour);
  const ordinary = placement === "every-chunk" ? usage : null;
  const hasOwnChunk = placement === "own-chunk" || placement === "x-groq";
  const isNullShown = stream.isUsageWanted && hasOwnChunk;
  const prefix = `${JSON.stringify(stream.base).slice(0, -1)},"choices":`;
  const chunk = (choices: readonly object[], shown: object | null, more: object = {}): SseEvent => {
    const fields = shown !== null || isNullShown ? { usage: shown, ...more } : more;
    return { data: `${prefix}${JSON.stringify(choices)}${suffixOf(fields)}` };
  };
  for (const [index, choice] of reply.choices.entries()) {
    for (const delta of deltasOf(choice)) {
      yield chunk([{ index, delta, logprobs: null, finish_reason: null }], ordinary);
    }
    const { inChoice, shown, beside } = usageAtFinish(placement, usage);
    yield chunk([{ index, delta: {}, logprobs: null, finish_reason: choice.finishReason, ...inChoice }], shown, beside);
  }
  if (usage !== null && (placement === "unasked" || isNullShown)) {
    yield chunk([], usage);
  }
  yield doneEvent;
}

/** What the last chunk of a choice has of the usage: in the choice, in its own field, and in fields beside that. */
function usageAtFinish(placement: ReturnType<typeof usagePlacement>, usage: object | null) {
  const isShown = placement === "every-chunk" || placement === "with-finish";
  return {
    inChoice: placement === "in-choice" && usage !== null ? { usage } : {},
    shown: isShown ? usage : null,
    beside: placement === "x-groq" && usage !== null ? { x_groq: { id: "req_sandbox", usage } } : {},
  };
}

function suffixOf(fields: object): string {
  const text = JSON.stringify(fields).slice(1);
  return text === "}" ? text : `,${text}`;
}

function* deltasOf(choice: Choice): Iterable<object> {
  const isCalling = choice.toolCalls.length > 0 && choice.text.bytes === 0;
  yield { role: "assistant", content: isCalling ? null : "", refusal: null };
  if (choice.reasoning !== "") {
    yield { reasoning_content: choice.reasoning };
  }
  for (const content of choice.text.pieces()) {
    yield { content };
  }
  if (choice.refusal !== null) {
    yield { refusal: choice.refusal };
  }
  for (const [index, call] of choice.toolCalls.entries()) {
    yield { tool_calls: [{ index, ...describeCall(call, "") }] };
    for (const fragment of argumentFragments(call.arguments)) {
      yield {
        tool_calls: [
          { index, ...(call.isCustom ? { custom: { input: fragment } } : { function: { arguments: fragment } }) },
        ],
      };
    }
  }
}

function describeCall({ id, name, isCustom }: ToolCall, text: string): object {
  return isCustom
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}
