import type { GatewayCall, GatewayResponse, Gauge, LimitGauges } from "./model.ts";
import { isGeminiCall } from "./operations/gemini-path.ts";
import { isMessagesPath } from "./operations/messages-path.ts";

type Call = Pick<GatewayCall, "path" | "headers">;

/**
 * The limits of a call in the headers that clients of its API read. Those of a provider never reach a client.
 * Clients of the Gemini API know none.
 */
export function limitHeaders(gauges: LimitGauges, call: Call, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isGeminiCall(call)) {
    return headers;
  }
  const isMessages = isMessagesPath(call.path);
  for (const unit of ["requests", "tokens"] as const) {
    const gauge = gauges[unit];
    if (gauge !== null && isMessages) {
      nameForMessages(headers, unit, gauge, nowMs);
    } else if (gauge !== null) {
      nameForOpenai(headers, unit, gauge);
    }
  }
  return headers;
}

/** Adds headers to a response. */
export function withHeaders(answer: GatewayResponse, headers: Record<string, string> | null): GatewayResponse {
  return headers === null ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
}

function nameForOpenai(headers: Record<string, string>, unit: string, { limit, left, fullInMs }: Gauge): void {
  headers[`x-ratelimit-limit-${unit}`] = String(limit);
  headers[`x-ratelimit-remaining-${unit}`] = String(left);
  headers[`x-ratelimit-reset-${unit}`] = durationText(fullInMs);
}

function nameForMessages(headers: Record<string, string>, unit: string, gauge: Gauge, nowMs: number): void {
  const prefix = `anthropic-ratelimit-${unit}`;
  headers[`${prefix}-limit`] = String(gauge.limit);
  headers[`${prefix}-remaining`] = String(gauge.left);
  const fullAt = Math.ceil((nowMs + gauge.fullInMs) / secondMs) * secondMs;
  headers[`${prefix}-reset`] = new Date(fullAt).toISOString().replace(".000Z", "Z");
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
