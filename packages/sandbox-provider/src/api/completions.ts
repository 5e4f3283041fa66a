/** POST /v1/completions, the older form: a prompt in, a text out, whole and streamed. */
import type { Behaviour } from "../script/behaviour.ts";
import { doneEvent } from "../wire/events.ts";
import type { Answer, SseEvent } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { eventsAnswer, jsonAnswer } from "./json-answer.ts";
import { readWishes } from "./openai-wishes.ts";
import { asObject, lastUserText, optionalCount, requireBody } from "./prompt.ts";
import { makeReply, type Reply } from "./reply.ts";
import { wholeText } from "./text-source.ts";
import { countContent } from "./usage.ts";
import { chatUsage } from "./usage-shapes.ts";

const tokensMaxDefault = 16;

/** @throws RequestRefused */
export function answerCompletion(call: ApiCall): Answer {
  const { request, behaviour } = call;
  const body = requireBody(request);
  const reply = makeReply({
    wishes: readWishes(body),
    behaviour,
    spoken: lastUserText(request) ?? "",
    tokensMax: optionalCount(body, "max_tokens", 1) ?? tokensMaxDefault,
    promptTokens: countContent(body["prompt"]),
    callIds: `call_sandbox_${call.index}`,
  });
  const base = {
    id: `cmpl-sandbox-${call.index}`,
    object: "text_completion",
    created: call.createdAtSeconds,
    model: body.model,
    system_fingerprint: "fp_sandbox",
  };
  if (body["stream"] === true) {
    const isUsageWanted = asObject(body["stream_options"])["include_usage"] === true;
    return eventsAnswer(completionEvents({ reply, behaviour, base, isUsageWanted }));
  }
  const choices = reply.choices.map((choice, index) => describe(wholeText(choice.text), index, choice.finishReason));
  const usage = behaviour.omitUsage === true ? {} : { usage: chatUsage(reply.counts, behaviour) };
  return jsonAnswer({ ...base, choices, ...usage });
}

function describe(text: string, index: number, finishReason: string | null): object {
  return { text, index, logprobs: null, finish_reason: finishReason };
}

type CompletionStream = {
  readonly reply: Reply;
  readonly behaviour: Behaviour;
  readonly base: object;
  readonly isUsageWanted: boolean;
};

function* completionEvents({ reply, behaviour, base, isUsageWanted }: CompletionStream): Iterable<SseEvent> {
  const unused = isUsageWanted ? { usage: null } : {};
  for (const [index, choice] of reply.choices.entries()) {
    for (const text of choice.text.pieces()) {
      yield { data: JSON.stringify({ ...base, choices: [describe(text, index, null)], ...unused }) };
    }
    yield { data: JSON.stringify({ ...base, choices: [describe("", index, choice.finishReason)], ...unused }) };
  }
  if (isUsageWanted && behaviour.omitUsage !== true) {
    yield { data: JSON.stringify({ ...base, choices: [], usage: chatUsage(reply.counts, behaviour) }) };
  }
  yield doneEvent;
}
