import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";

/** The trace of a call that has this usage row, with a test's changes. */
export function traceOfCall(usage: UsageRow, changes: Partial<TraceRow> = {}): TraceRow {
  return {
    requestId: usage.requestId,
    day: usage.day,
    userId: null,
    gatewayUserId: usage.gatewayUserId,
    apiKeyId: usage.apiKeyId,
    method: "POST",
    path: usage.path,
    model: usage.model,
    status: usage.outcome,
    errorCode: usage.errorCode,
    httpStatus: usage.httpStatus,
    isStream: usage.isStream,
    inputTokens: usage.units.inputTokens,
    outputTokens: usage.units.outputTokens,
    firstTokenMs: usage.firstByteMs,
    durationMs: usage.durationMs,
    clientIp: "203.0.113.7",
    userAgent: "OpenAI/Python 1.99.1",
    payload: "stored",
    startedAtMs: usage.startedAtMs,
    ...changes,
  };
}
