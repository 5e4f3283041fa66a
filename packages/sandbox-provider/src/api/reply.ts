/** Decides what the assistant says. The rules are the same for every dialect, streamed or not. */
import type { Behaviour } from "../script/behaviour.ts";
import { asArray } from "./prompt.ts";
import { schemaInstance } from "./schema-instance.ts";
import { fillerText, limitText, type TextSource, wholeText, wordsOf } from "./text-source.ts";
import { chooseToolCalls, type ToolCall } from "./tool-calls.ts";
import {
  bytesOfTokens,
  type CacheCounts,
  countContent,
  countTokens,
  type TokenCounts,
  tokensOfBytes,
} from "./usage.ts";
import type { Wishes } from "./wishes.ts";

export type Choice = {
  readonly text: TextSource;
  readonly reasoning: string;
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** The stop sequence at which the text ends. */
  readonly stoppedBy: string | null;
  readonly finishReason: string;
};

export type Reply = { readonly choices: readonly Choice[]; readonly counts: TokenCounts };

export type ReplyRequest = {
  readonly wishes: Wishes;
  readonly behaviour: Behaviour;
  /** The user's last message; null after tool results, when the sandbox always responds with text. */
  readonly spoken: string | null;
  readonly tokensMax: number | null;
  readonly promptTokens: number;
  /** The parts of the prompt that a cache holds. */
  readonly cache?: CacheCounts;
  /** Whether the text is sent as it is generated, so that it may be endless. */
  readonly canBeEndless?: boolean;
  /** What the ids of the calls begin with; it distinguishes the calls of different requests. */
  readonly callIds: string;
};

const notice = "This is the Sluice sandbox provider, not a real model.";
const remedy = "Set PROVIDER_API_KEY and start again to get answers from a real provider.";
const thought = "The sandbox only looks at the words of the last message.";
const quotedMax = 200;
/** The number of thinking tokens that a reasoning model reports. */
const reasoningTokensDefault = 64;

export function makeReply(request: ReplyRequest): Reply {
  const { wishes } = request;
  const reasoning = reasoningTokens(request);
  const textTokensMax = request.tokensMax === null ? Number.POSITIVE_INFINITY : request.tokensMax - reasoning;
  const choices = Array.from({ length: wishes.choices }, (_, index) =>
    makeChoice(request, index, Math.max(0, textTokensMax)),
  );
  const completion = choices.reduce((sum, choice) => sum + reasoning + tokensOfChoice(choice), 0);
  const counts = countsOf(request, completion, reasoning * wishes.choices);
  return { choices, counts };
}

/** Scripted counts take the place of all that was counted of the cache. */
function countsOf({ behaviour, cache, promptTokens: prompt }: ReplyRequest, completion: number, reasoning: number) {
  const { tokens } = behaviour;
  const cached = tokens ?? cache;
  return {
    prompt: tokens?.prompt ?? prompt,
    cached: cached?.cached ?? 0,
    written5m: cached?.written5m ?? 0,
    written1h: cached?.written1h ?? 0,
    completion: tokens?.completion ?? completion,
    reasoning: tokens?.reasoning ?? reasoning,
    searches: tokens?.searches ?? 0,
  };
}

/** Tokens of the prompt of a chat: its messages and the tools on offer. */
export function promptTokens(content: unknown, tools: unknown): number {
  return countContent(content) + (asArray(tools).length > 0 ? countTokens(JSON.stringify(tools)) : 0);
}

function reasoningTokens({ wishes, behaviour, tokensMax }: ReplyRequest): number {
  if (behaviour.reasoning !== undefined) {
    return countTokens(behaviour.reasoning);
  }
  return wishes.reasoning === "none" ? 0 : Math.min(reasoningTokensDefault, tokensMax ?? Infinity);
}

function tokensOfChoice(choice: Choice): number {
  const called = choice.toolCalls.map((call) => call.name + call.arguments).join("");
  const bytes = choice.text.bytes + Buffer.byteLength(called) + Buffer.byteLength(choice.refusal ?? "");
  return Number.isFinite(bytes) ? tokensOfBytes(bytes) : 0;
}

function makeChoice(request: ReplyRequest, index: number, tokensMax: number): Choice {
  const { behaviour, wishes, spoken } = request;
  const reasoning = behaviour.reasoning ?? (wishes.reasoning === "shown" ? thought : "");
  const refusal = behaviour.refusal ?? null;
  const newId = (position: number): string => `${request.callIds}_${index}_${position}`;
  const toolCalls = chooseToolCalls(wishes, spoken, behaviour, newId);
  const isSilent = behaviour.text === undefined && (toolCalls.length > 0 || refusal !== null);
  const { full, stoppedBy } = stopText(isSilent ? wordsOf("") : textFor(request, index), wishes.stop);
  const text = limitText(full, bytesOfTokens(tokensMax));
  const isCut = text.bytes < full.bytes;
  const usual = toolCalls.length > 0 ? "tool_calls" : "stop";
  const finishReason = behaviour.finishReason ?? (isCut ? "length" : usual);
  return { text, reasoning, refusal, toolCalls, stoppedBy: isCut ? null : stoppedBy, finishReason };
}

function textFor({ behaviour, wishes, spoken, canBeEndless }: ReplyRequest, index: number): TextSource {
  if (behaviour.isEndless === true && canBeEndless === true) {
    return fillerText(Number.POSITIVE_INFINITY, behaviour.chunkBytes);
  }
  if (behaviour.chunks !== undefined) {
    return fillerText(behaviour.chunks, behaviour.chunkBytes);
  }
  if (behaviour.text !== undefined) {
    return wordsOf(behaviour.text);
  }
  return wordsOf(structuredText(wishes.structure) ?? sentence(wishes.toolResults, spoken, index));
}

/** Returns JSON text if the client asked for it, by mode or by schema. */
function structuredText(structure: Wishes["structure"]): string | null {
  if (structure === "json") {
    return JSON.stringify({ sandbox: true, message: `${notice} ${remedy}` });
  }
  return structure === null ? null : JSON.stringify(schemaInstance(structure.schema));
}

function sentence(results: readonly string[], spoken: string | null, index: number): string {
  const numbered = index === 0 ? notice : `${notice} (Choice ${index + 1}.)`;
  const said = spoken === null ? quoteResults(results) : `You wrote: "${shorten(spoken)}".`;
  return `${numbered} ${said} ${remedy}`;
}

function quoteResults(results: readonly string[]): string {
  return results.length === 0 ? "There was nothing to answer." : `The tools said: "${shorten(results.join("; "))}".`;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > quotedMax ? `${characters.slice(0, quotedMax).join("")}…` : text;
}

/** Ends the text before the first stop sequence; endless texts are left alone. */
function stopText(
  source: TextSource,
  sequences: readonly string[],
): { readonly full: TextSource; readonly stoppedBy: string | null } {
  if (sequences.length === 0 || !Number.isFinite(source.bytes)) {
    return { full: source, stoppedBy: null };
  }
  const text = wholeText(source);
  const found = sequences
    .map((sequence) => ({ sequence, position: text.indexOf(sequence) }))
    .filter(({ position }) => position >= 0)
    .sort((left, right) => left.position - right.position)[0];
  return found === undefined
    ? { full: source, stoppedBy: null }
    : { full: wordsOf(text.slice(0, found.position)), stoppedBy: found.sequence };
}
