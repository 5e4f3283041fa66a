/**
 * Decides what the assistant says. The rules are the same for chat completions, completions and responses, streamed or
 * not.
 */
import type { Behaviour } from "../script/behaviour.ts";
import { asArray, asObject, type JsonObject, optionalCount, textOf } from "./prompt.ts";
import { schemaInstance } from "./schema-instance.ts";
import { fillerText, limitText, type TextSource, wholeText, wordsOf } from "./text-source.ts";
import { chooseToolCalls, type ToolCall } from "./tool-calls.ts";
import { bytesOfTokens, countContent, countTokens, type TokenCounts, tokensOfBytes } from "./usage.ts";

export type Choice = {
  readonly text: TextSource;
  readonly reasoning: string;
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
};

export type Reply = { readonly choices: readonly Choice[]; readonly counts: TokenCounts };

export type ReplyRequest = {
  readonly body: JsonObject;
  readonly behaviour: Behaviour;
  /** The user's last message; null after tool results, when the sandbox always responds with text. */
  readonly spoken: string | null;
  readonly tokensMax: number | null;
  readonly promptTokens: number;
  /** Whether the text is sent as it is generated, so that it may be endless. */
  readonly canBeEndless?: boolean;
  /** Distinguishes the calls of different requests. */
  readonly idSuffix: string;
};

const notice = "This is the Sluice sandbox provider, not a real model.";
const remedy = "Set PROVIDER_API_KEY and start again to get answers from a real provider.";
const quotedMax = 200;
/** The number of thinking tokens that a reasoning model reports. */
const reasoningTokensDefault = 64;

export function makeReply(request: ReplyRequest): Reply {
  const count = Math.min(optionalCount(request.body, "n", 1) ?? 1, 128);
  const reasoning = reasoningTokens(request);
  const textTokensMax = request.tokensMax === null ? Number.POSITIVE_INFINITY : request.tokensMax - reasoning;
  const choices = Array.from({ length: count }, (_, index) => makeChoice(request, index, Math.max(0, textTokensMax)));
  const counts: TokenCounts = {
    prompt: request.promptTokens,
    cached: 0,
    completion: choices.reduce((sum, choice) => sum + reasoning + tokensOfChoice(choice), 0),
    reasoning: reasoning * count,
  };
  return { choices, counts };
}

/** Tokens of the prompt of a chat: its messages and the tools on offer. */
export function promptTokens(content: unknown, tools: unknown): number {
  return countContent(content) + (asArray(tools).length > 0 ? countTokens(JSON.stringify(tools)) : 0);
}

function reasoningTokens({ body, behaviour, tokensMax }: ReplyRequest): number {
  if (behaviour.reasoning !== undefined) {
    return countTokens(behaviour.reasoning);
  }
  const effort = body["reasoning_effort"] ?? asObject(body["reasoning"])["effort"] ?? "none";
  return effort === "none" || effort === "minimal" ? 0 : Math.min(reasoningTokensDefault, tokensMax ?? Infinity);
}

function tokensOfChoice(choice: Choice): number {
  const called = choice.toolCalls.map((call) => call.name + call.arguments).join("");
  const bytes = choice.text.bytes + Buffer.byteLength(called) + Buffer.byteLength(choice.refusal ?? "");
  return Number.isFinite(bytes) ? tokensOfBytes(bytes) : 0;
}

function makeChoice(request: ReplyRequest, index: number, tokensMax: number): Choice {
  const { behaviour, body, spoken } = request;
  const reasoning = behaviour.reasoning ?? "";
  const refusal = behaviour.refusal ?? null;
  const newId = (position: number): string => `call_sandbox_${request.idSuffix}_${index}_${position}`;
  const toolCalls = chooseToolCalls(body, spoken, behaviour, newId);
  const isSilent = behaviour.text === undefined && (toolCalls.length > 0 || refusal !== null);
  const full = isSilent ? wordsOf("") : stopText(textFor(request, index), body["stop"]);
  const text = limitText(full, bytesOfTokens(tokensMax));
  const usual = toolCalls.length > 0 ? "tool_calls" : "stop";
  const finishReason = behaviour.finishReason ?? (text.bytes < full.bytes ? "length" : usual);
  return { text, reasoning, refusal, toolCalls, finishReason };
}

function textFor({ behaviour, body, spoken, canBeEndless }: ReplyRequest, index: number): TextSource {
  if (behaviour.isEndless === true && canBeEndless === true) {
    return fillerText(Number.POSITIVE_INFINITY, behaviour.chunkBytes);
  }
  if (behaviour.chunks !== undefined) {
    return fillerText(behaviour.chunks, behaviour.chunkBytes);
  }
  if (behaviour.text !== undefined) {
    return wordsOf(behaviour.text);
  }
  return wordsOf(structuredText(body) ?? sentence(body, spoken, index));
}

/** Returns JSON text if the client asked for it, by mode or by schema. */
function structuredText(body: JsonObject): string | null {
  const format = asObject(body["response_format"] ?? asObject(body["text"])["format"]);
  if (format["type"] === "json_object") {
    return JSON.stringify({ sandbox: true, message: `${notice} ${remedy}` });
  }
  if (format["type"] !== "json_schema") {
    return null;
  }
  return JSON.stringify(schemaInstance(asObject(format["json_schema"] ?? format)["schema"]));
}

function sentence(body: JsonObject, spoken: string | null, index: number): string {
  const numbered = index === 0 ? notice : `${notice} (Choice ${index + 1}.)`;
  const said = spoken === null ? toolResults(body) : `You wrote: "${shorten(spoken)}".`;
  return `${numbered} ${said} ${remedy}`;
}

function toolResults(body: JsonObject): string {
  const messages = asArray(body["messages"] ?? body["input"]).map(asObject);
  const lastOther = messages.findLastIndex((message) => !("tool_call_id" in message || "output" in message));
  const results = messages.slice(lastOther + 1).map((message) => textOf(message["content"] ?? message["output"]));
  return results.length === 0 ? "There was nothing to answer." : `The tools said: "${shorten(results.join("; "))}".`;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > quotedMax ? `${characters.slice(0, quotedMax).join("")}…` : text;
}

/** Ends the text before the first stop sequence; endless texts are left alone. */
function stopText(source: TextSource, stop: unknown): TextSource {
  const sequences = (typeof stop === "string" ? [stop] : asArray(stop)).filter((one) => typeof one === "string");
  if (sequences.length === 0 || !Number.isFinite(source.bytes)) {
    return source;
  }
  const text = wholeText(source);
  const positions = sequences.map((one) => text.indexOf(one)).filter((position) => position >= 0);
  return positions.length === 0 ? source : wordsOf(text.slice(0, Math.min(...positions)));
}
