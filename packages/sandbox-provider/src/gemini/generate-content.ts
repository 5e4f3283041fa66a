/** POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens. */
import type { ApiCall } from "../api/api-call.ts";
import { eventsAnswer, jsonAnswer } from "../api/json-answer.ts";
import type { JsonObject } from "../api/prompt.ts";
import { type Choice, makeReply, type Reply } from "../api/reply.ts";
import { sign } from "../api/signature.ts";
import { wholeText } from "../api/text-source.ts";
import { parsedArguments } from "../api/tool-calls.ts";
import { type TokenCounts, tokensOfBytes } from "../api/usage.ts";
import type { Behaviour } from "../script/behaviour.ts";
import type { Answer } from "../wire/plan.ts";
import { requireContents } from "./check-contents.ts";
import { geminiDialect } from "./gemini-dialect.ts";
import { readTokensMax, readWishes } from "./gemini-wishes.ts";
import { countPrompt } from "./parts.ts";

const finishReasons: Readonly<Record<string, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

/** @throws RequestRefused */
export function answerGenerate(call: ApiCall): Answer {
  const { request, behaviour, account } = call;
  const body = requireContents(request, account.signatureKey);
  const isEventStream = request.isStream && /[?&]alt=sse(?:&|$)/.test(request.head.target);
  const reply = makeReply({
    wishes: readWishes(body),
    behaviour,
    spoken: geminiDialect.spoken(request),
    tokensMax: readTokensMax(body),
    promptTokens: countPrompt(body),
    canBeEndless: isEventStream,
    callIds: `call_sandbox_${call.index}`,
  });
  if (!request.isStream) {
    return jsonAnswer(wholeContent(reply, call));
  }
  if (isEventStream) {
    return eventsAnswer(toEvents(chunksOf(reply, call)));
  }
  return jsonAnswer(Array.from(chunksOf(reply, call)));
}

/** @throws RequestRefused */
export function answerCountTokens({ request, account }: ApiCall): Answer {
  const totalTokens = countPrompt(requireContents(request, account.signatureKey, true));
  return jsonAnswer({ totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] });
}

function* toEvents(chunks: Iterable<object>) {
  for (const chunk of chunks) {
    yield { data: JSON.stringify(chunk) };
  }
}

function wholeContent({ choices, counts }: Reply, call: ApiCall): object {
  const base = { modelVersion: call.request.model, responseId: `sandbox-${call.index}` };
  const usage = usageOf(counts, call.behaviour, counts.completion);
  if (call.behaviour.refusal !== undefined) {
    return { promptFeedback: blocked(call.behaviour.refusal), ...usage, ...base };
  }
  const candidates = choices.map((choice, index) => ({
    content: { parts: Array.from(wholeParts(choice, call)), role: "model" },
    finishReason: finishReasons[choice.finishReason] ?? choice.finishReason,
    index,
  }));
  return { candidates, ...usage, ...base };
}

/** Every chunk has the usage so far. */
function* chunksOf({ choices, counts }: Reply, call: ApiCall): Iterable<object> {
  const { behaviour } = call;
  const base = { modelVersion: call.request.model, responseId: `sandbox-${call.index}` };
  if (behaviour.refusal !== undefined) {
    yield { promptFeedback: blocked(behaviour.refusal), ...usageOf(counts, behaviour, counts.completion), ...base };
    return;
  }
  let bytes = 0;
  for (const [index, choice] of choices.entries()) {
    for (const part of streamedParts(choice, call)) {
      bytes += part["thought"] === true ? 0 : Buffer.byteLength(String(part["text"] ?? ""));
      const content = { parts: [part], role: "model" };
      const usage = usageOf(counts, behaviour, Math.min(counts.completion, counts.reasoning + tokensOfBytes(bytes)));
      yield { candidates: [{ content, index }], ...usage, ...base };
    }
    const finishReason = finishReasons[choice.finishReason] ?? choice.finishReason;
    const content = { parts: [{ text: "" }], role: "model" };
    yield { candidates: [{ content, finishReason, index }], ...usageOf(counts, behaviour, counts.completion), ...base };
  }
}

function blocked(message: string): object {
  return { blockReason: "SAFETY", blockReasonMessage: message };
}

function* wholeParts(choice: Choice, call: ApiCall): Iterable<JsonObject> {
  yield* thoughtParts(choice);
  if (choice.text.bytes > 0 || choice.toolCalls.length === 0) {
    yield { text: wholeText(choice.text) };
  }
  yield* callParts(choice, call);
}

function* streamedParts(choice: Choice, call: ApiCall): Iterable<JsonObject> {
  yield* thoughtParts(choice);
  for (const text of choice.text.pieces()) {
    yield { text };
  }
  yield* callParts(choice, call);
}

function* thoughtParts({ reasoning }: Choice): Iterable<JsonObject> {
  if (reasoning !== "") {
    yield { text: reasoning, thought: true };
  }
}

/** The first call is signed for all. */
function* callParts({ reasoning, toolCalls }: Choice, { account }: ApiCall): Iterable<JsonObject> {
  for (const [position, call] of toolCalls.entries()) {
    const signature = position === 0 ? { thoughtSignature: sign(reasoning, account.signatureKey) } : {};
    yield { functionCall: { id: call.id, name: call.name, args: parsedArguments(call) }, ...signature };
  }
}

/** The thoughts are not part of the candidates; what was cached is part of the prompt. */
function usageOf(counts: TokenCounts, behaviour: Behaviour, completion: number): object {
  if (behaviour.omitUsage === true) {
    return {};
  }
  const { prompt, cached, reasoning } = counts;
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
      candidatesTokenCount: Math.max(0, completion - reasoning),
      ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
      totalTokenCount: prompt + completion,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      ...behaviour.usage,
    },
  };
}
