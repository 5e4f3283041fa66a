import type { CallReport, GatewayCall } from "../gateway/model.ts";
import { utcDay } from "../platform/clock.ts";
import { recordedPathLengthMax } from "../platform/request-target.ts";
import type { PayloadOutcome, ReportedCall, TraceRow } from "../trace/model.ts";

const userAgentLengthMax = 1_024;

/** The report about a call together with what the relay knows of it: its trace in parts. */
export class RelayedReport implements ReportedCall {
  readonly call: GatewayCall;
  readonly report: CallReport;
  readonly payload: PayloadOutcome;
  readonly userAgent: string;

  constructor(call: GatewayCall, report: CallReport, payload: PayloadOutcome) {
    this.call = call;
    this.report = report;
    this.payload = payload;
    this.userAgent = (call.headers.get("user-agent") ?? "").slice(0, userAgentLengthMax);
  }

  get requestId(): TraceRow["requestId"] {
    return this.call.requestId;
  }

  get day(): string {
    return utcDay(this.call.startedAtMs);
  }

  toRow(): TraceRow {
    const { call, report, requestId, day, userAgent, payload } = this;
    return {
      requestId,
      day,
      userId: report.userId,
      gatewayUserId: report.gatewayUserId,
      apiKeyId: report.apiKeyId,
      method: call.method,
      path: call.path.slice(0, recordedPathLengthMax),
      model: report.model,
      status: report.outcome,
      errorCode: report.errorCode,
      httpStatus: report.httpStatus,
      isStream: report.isStream,
      inputTokens: report.inputTokens,
      outputTokens: report.outputTokens,
      firstTokenMs: report.firstByteMs,
      durationMs: report.durationMs,
      clientIp: call.clientIp,
      userAgent,
      payload,
      startedAtMs: call.startedAtMs,
    };
  }
}
