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
  const isMessages = isMessagesPath(call.path);
  for (const unit of units) {
    const gauge = gauges[unit];
    if (gauge !== null && isMessages) {
      nameForMessages(headers, unit, gauge, clock.now());
    } else if (gauge !== null) {
      nameForOpenai(headers, unit, gauge);
    }
  }
}

type Unit = "requests" | "tokens";
type Names = { readonly limit: string; readonly remaining: string; readonly reset: string };

const units: readonly Unit[] = ["requests", "tokens"];

/** Written once: names that are made for each call cost more than their values. */
const openaiNames = namesOf((unit, part) => `x-ratelimit-${part}-${unit}`);
const messagesNames = namesOf((unit, part) => `anthropic-ratelimit-${unit}-${part}`);

function namesOf(name: (unit: Unit, part: keyof Names) => string): Readonly<Record<Unit, Names>> {
  const of = (unit: Unit): Names => ({
    limit: name(unit, "limit"),
    remaining: name(unit, "remaining"),
    reset: name(unit, "reset"),
  });
  return { requests: of("requests"), tokens: of("tokens") };
}

/** The last limit of each unit and its text: limits differ less often than calls. */
const latest: Record<Unit, { limit: number; text: string }> = {
  requests: { limit: 0, text: "0" },
  tokens: { limit: 0, text: "0" },
};

function limitText(unit: Unit, limit: number): string {
  const known = latest[unit];
  if (known.limit !== limit) {
    known.limit = limit;
    known.text = String(limit);
  }
  return known.text;
}

function nameForOpenai(headers: Record<string, string>, unit: Unit, { limit, left, fullInMs }: Gauge): void {
  const names = openaiNames[unit];
  headers[names.limit] = limitText(unit, limit);
  headers[names.remaining] = String(left);
  headers[names.reset] = durationText(fullInMs);
}

function nameForMessages(headers: Record<string, string>, unit: Unit, gauge: Gauge, nowMs: number): void {
  const names = messagesNames[unit];
  headers[names.limit] = String(gauge.limit);
  headers[names.remaining] = String(gauge.left);
  const fullAt = Math.ceil((nowMs + gauge.fullInMs) / secondMs) * secondMs;
  headers[names.reset] = new Date(fullAt).toISOString().replace(".000Z", "Z");
}

const secondMs = 1_000;
const minuteMs = 60_000;

/** A duration as OpenAI writes it: `6ms`, `1.5s`, `1m0s`. */
export function durationText(ms: number): string {
  if (ms > 0 && ms < secondMs) {
    return `${ms}ms`;
  }
  const seconds = (ms % minuteMs) / secondMs;
  return ms < minuteMs ? `${seconds}s` : `${Math.floor(ms / minuteMs)}m${seconds}s`;
}
