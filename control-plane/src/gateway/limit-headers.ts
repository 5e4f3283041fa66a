import type { Clock } from "../platform/clock.ts";
import type { GatewayCall, Gauge, LimitGauges } from "./model.ts";
import { isGeminiCall } from "./operations/gemini-path.ts";
import { isMessagesPath } from "./operations/messages-path.ts";

type Call = Pick<GatewayCall, "path" | "headers">;

/**
 * Adds the limits of a call in the headers that clients of its API read. Those of a provider never reach a client.
 * Clients of the Gemini API know none.
 */
export function addLimitHeaders(
  headers: Record<string, string>,
  gauges: LimitGauges,
  call: Call,
  clock: Pick<Clock, "now">,
): void {
  if (isGeminiCall(call)) {
    return;
  }
  const { requests, tokens } = gauges;
  if (isMessagesPath(call.path)) {
    nameForMessages(headers, gauges, clock.now());
    return;
  }
  if (requests !== null) {
    headers["x-ratelimit-limit-requests"] = numberTexts.of(requests.limit);
    headers["x-ratelimit-remaining-requests"] = numberTexts.of(requests.left);
    headers["x-ratelimit-reset-requests"] = durationText(requests.fullInMs);
  }
  if (tokens !== null) {
    headers["x-ratelimit-limit-tokens"] = numberTexts.of(tokens.limit);
    headers["x-ratelimit-remaining-tokens"] = numberTexts.of(tokens.left);
    headers["x-ratelimit-reset-tokens"] = durationText(tokens.fullInMs);
  }
}

const secondMs = 1_000;
const minuteMs = 60_000;
/** A power of two. */
const textsMax = 1_024;

/** Texts of numbers, which are often the same as before. */
class NumberTexts {
  readonly #toText: (number: number) => string;
  /** Each number in the place that its lowest bits give. */
  readonly #numbers = new Float64Array(textsMax);
  readonly #texts: string[];

  constructor(toText: (number: number) => string) {
    this.#toText = toText;
    this.#texts = new Array<string>(textsMax).fill(toText(0));
  }

  /** @param number whole and not negative */
  of(number: number): string {
    const place = number & (textsMax - 1);
    if (this.#numbers[place] !== number) {
      this.#numbers[place] = number;
      this.#texts[place] = this.#toText(number);
    }
    return this.#texts[place] as string;
  }
}

/** Limits are the same for every call, and what is left of them is often what it was before. */
const numberTexts = new NumberTexts(String);
/** Times in whole seconds, nearly all within the next minute. */
const timeTexts = new NumberTexts((second) => new Date(second * secondMs).toISOString().replace(".000Z", "Z"));

function nameForMessages(headers: Record<string, string>, { requests, tokens }: LimitGauges, nowMs: number): void {
  if (requests !== null) {
    headers["anthropic-ratelimit-requests-limit"] = numberTexts.of(requests.limit);
    headers["anthropic-ratelimit-requests-remaining"] = numberTexts.of(requests.left);
    headers["anthropic-ratelimit-requests-reset"] = fullAt(requests, nowMs);
  }
  if (tokens !== null) {
    headers["anthropic-ratelimit-tokens-limit"] = numberTexts.of(tokens.limit);
    headers["anthropic-ratelimit-tokens-remaining"] = numberTexts.of(tokens.left);
    headers["anthropic-ratelimit-tokens-reset"] = fullAt(tokens, nowMs);
  }
}

/** When all of a limit will be left, in whole seconds. */
function fullAt({ fullInMs }: Gauge, nowMs: number): string {
  return timeTexts.of(Math.ceil((nowMs + fullInMs) / secondMs));
}

/** The texts of durations below a second, made when they are first needed. */
const shortTexts: (string | undefined)[] = [];

/** A duration in whole milliseconds as OpenAI writes it: `6ms`, `1.5s`, `1m0s`. */
export function durationText(ms: number): string {
  if (ms < secondMs) {
    shortTexts[ms] ??= ms === 0 ? "0s" : `${ms}ms`;
    return shortTexts[ms];
  }
  const seconds = (ms % minuteMs) / secondMs;
  return ms < minuteMs ? `${seconds}s` : `${Math.floor(ms / minuteMs)}m${seconds}s`;
}
