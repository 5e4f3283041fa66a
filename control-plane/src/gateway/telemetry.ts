import type { Amount } from "../platform/amount.ts";
import type { FinishedSpan, HistogramSpec, Measurement, TelemetryRecord } from "../platform/telemetry/model.ts";
import type { Attempt } from "../usage/log/model.ts";
import type { CallEnd, CallState } from "./model.ts";
import { findOperation } from "./operations/table.ts";
import type { GatewayObserver } from "./pipeline-deps.ts";

/** What is exported about a call: names, counts and times, never any of its content. */
export type ExportedCall = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Null until the catalog has resolved the model. */
  readonly model: string | null;
  readonly isStream: boolean;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly apiKeyId: bigint | null;
  readonly end: CallEnd;
  readonly attempts: readonly Attempt[];
};

/** Exports each finished call, beside another observer. Created only while something is exported. */
export class ExportingObserver implements GatewayObserver {
  readonly #inner: GatewayObserver;
  readonly #take: (call: ExportedCall) => void;

  constructor(inner: GatewayObserver, take: (call: ExportedCall) => void) {
    this.#inner = inner;
    this.#take = take;
  }

  onFallback(from: string, to: string, reason: string): void {
    this.#inner.onFallback(from, to, reason);
  }

  onAttempt(attempt: Attempt, exitNode: string | null): void {
    this.#inner.onAttempt(attempt, exitNode);
  }

  onEnd(state: CallState, end: CallEnd, durationMs: number, quota: Amount): void {
    this.#inner.onEnd(state, end, durationMs, quota);
    const { call, model, principal, isStream, firstByteMs, attempts } = state;
    this.#take({
      requestId: call.requestId,
      method: call.method,
      path: call.path,
      model: model?.name ?? null,
      isStream,
      startedAtMs: call.startedAtMs,
      durationMs,
      firstByteMs,
      apiKeyId: principal?.apiKeyId ?? null,
      end,
      attempts,
    });
  }
}

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/** The histograms of the semantic conventions for generative AI. */
export const callHistograms: readonly HistogramSpec[] = [
  {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "From the first byte of a request to the end of its response.",
    buckets: seconds,
  },
  {
    name: "gen_ai.server.time_to_first_token",
    unit: "s",
    description: "From the first byte of a request to the first byte of its response.",
    buckets: seconds,
  },
  { name: "gen_ai.client.token.usage", unit: "{token}", description: "Tokens of calls.", buckets: tokens },
];

/** A call in terms of the conventions. The id of its trace is its request id. */
export function toTelemetry(call: ExportedCall): TelemetryRecord {
  const { model, durationMs, firstByteMs, end, startedAtMs } = call;
  const { telemetryName: operation, handling, dialect } = findOperation(call.path);
  const isKnownPath = handling === "call" || handling === "count";
  const error = end.errorCode ?? (end.outcome === "completed" ? null : end.outcome);
  const named = {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": "sluice",
    ...(model === null ? {} : { "gen_ai.request.model": model }),
  };
  const measured = error === null ? named : { ...named, "error.type": error };
  const input = Number(end.units.inputTokens);
  const output = Number(end.units.outputTokens);
  const isCounted = end.usageSource !== "none";
  const tokenUsage = (type: "input" | "output", value: number): Measurement[] =>
    isCounted
      ? [{ name: "gen_ai.client.token.usage", value, attributes: { ...named, "gen_ai.token.type": type } }]
      : [];
  const root: FinishedSpan = {
    name: model === null ? operation : `${operation} ${model}`,
    kind: "server",
    startMs: startedAtMs,
    endMs: startedAtMs + durationMs,
    error,
    attributes: {
      ...named,
      "http.request.method": call.method,
      // The path of a passed-through call may contain anything, and so may the name of a model that there is not.
      ...(isKnownPath && (dialect !== "gemini" || model !== null) ? { "url.path": call.path } : {}),
      "http.response.status_code": end.httpStatus,
      "sluice.request_id": call.requestId,
      "sluice.outcome": end.outcome,
      "sluice.stream": call.isStream,
      ...(call.apiKeyId === null ? {} : { "sluice.api_key.id": call.apiKeyId.toString() }),
      ...(firstByteMs === null ? {} : { "sluice.first_byte_ms": firstByteMs }),
      ...(isCounted ? { "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output } : {}),
    },
  };
  return {
    trace: {
      traceId: call.requestId.replaceAll("-", ""),
      root,
      parts: call.attempts.map((attempt) => attemptSpan(attempt, startedAtMs)),
    },
    measurements: [
      { name: "gen_ai.client.operation.duration", value: durationMs / 1_000, attributes: measured },
      ...(firstByteMs === null
        ? []
        : [{ name: "gen_ai.server.time_to_first_token", value: firstByteMs / 1_000, attributes: named }]),
      ...tokenUsage("input", input),
      ...tokenUsage("output", output),
    ],
  };
}

function attemptSpan(attempt: Attempt, startedAtMs: number): FinishedSpan {
  const startMs = startedAtMs + attempt.startedAtMs;
  return {
    name: `attempt ${attempt.channel}`,
    kind: "client",
    startMs,
    endMs: startMs + attempt.durationMs,
    error: attempt.result === "answered" ? null : attempt.result,
    attributes: {
      "sluice.channel.id": attempt.channelId,
      "sluice.channel": attempt.channel,
      ...(attempt.credential === undefined ? {} : { "sluice.channel.credential": attempt.credential }),
      ...(attempt.node === undefined ? {} : { "sluice.exit_node": attempt.node }),
      "sluice.attempt.result": attempt.result,
      ...(attempt.status === null ? {} : { "http.response.status_code": attempt.status }),
    },
  };
}
