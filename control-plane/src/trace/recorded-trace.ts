import type { JsonBytes } from "../platform/spool/json-bytes.ts";
import { type CallRecord, recordPlaces, unkeptPerReplacement } from "../usage/log/call-record.ts";
import type { RecordedCall } from "../usage/log/model.ts";
import type { ReportedCall, SpooledTrace, TraceRow } from "./model.ts";
import { fromSpooledJson, traceVersion, userAgentBytesMax, wordBytesMax } from "./trace-row.ts";

/** Traces of the calls of one key say the same here most times. */
type RecordedEnd = {
  readonly userId: TraceRow["userId"];
  readonly method: string;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly payload: TraceRow["payload"];
  readonly bytes: Buffer;
};

/** By key, that is by the object that its calls have in common. */
const kept = new WeakMap<RecordedCall["state"]["principal"], RecordedEnd>();
let unkept = 0;

/**
 * Writes what the trace of a call says besides its usage row, as the end of the call's record.
 * @returns false if it says something else than the usage row; what was written has to be cut off
 */
export function writeRecordedTrace(reported: ReportedCall, recorded: RecordedCall, out: JsonBytes): boolean {
  if (!(isOfCall(reported, recorded) && hasSameOutcome(reported, recorded))) {
    return false;
  }
  const { principal } = recorded.state;
  const known = kept.get(principal);
  if (known !== undefined && endsAlike(reported, known)) {
    out.add(known.bytes);
    return true;
  }
  const { call, report, userAgent, payload } = reported;
  const { userId } = report;
  const { method, clientIp } = call;
  const from = out.length;
  out.comma();
  out.bigintOrNull(userId);
  out.comma();
  out.text(method, wordBytesMax);
  out.comma();
  out.text(clientIp, wordBytesMax);
  out.comma();
  out.text(userAgent, userAgentBytesMax);
  out.comma();
  out.text(payload);
  unkept += 1;
  if (out.isPlain && (known === undefined || unkept % unkeptPerReplacement === 0)) {
    kept.set(principal, { userId, method, clientIp, userAgent, payload, bytes: out.copyFrom(from) });
  }
  return out.isPlain;
}

function isOfCall({ call, report }: ReportedCall, { state }: RecordedCall): boolean {
  return (
    call.requestId === state.call.requestId &&
    call.path === state.call.path &&
    call.startedAtMs === state.call.startedAtMs &&
    report.gatewayUserId === state.principal.gatewayUserId &&
    report.apiKeyId === state.principal.apiKeyId
  );
}

function hasSameOutcome({ report }: ReportedCall, { state, end, durationMs }: RecordedCall): boolean {
  return (
    report.model === state.model.name &&
    report.outcome === end.outcome &&
    report.errorCode === end.errorCode &&
    report.httpStatus === end.httpStatus &&
    report.isStream === state.isStream &&
    report.inputTokens === end.units.inputTokens &&
    report.outputTokens === end.units.outputTokens &&
    report.firstByteMs === state.firstByteMs &&
    report.durationMs === durationMs &&
    isShort(report.model) &&
    isShort(report.errorCode)
  );
}

/** Longer words are truncated in a trace, and not in a usage row. */
function isShort(word: string | null): boolean {
  return word === null || word.length <= wordBytesMax;
}

function endsAlike({ call, report, userAgent, payload }: ReportedCall, other: RecordedEnd): boolean {
  return (
    report.userId === other.userId &&
    call.method === other.method &&
    call.clientIp === other.clientIp &&
    userAgent === other.userAgent &&
    payload === other.payload
  );
}

/** @throws TypeError when the record has no valid trace */
export function fromCallRecord({ fields }: CallRecord): SpooledTrace {
  const at = (field: keyof typeof recordPlaces): unknown => fields[recordPlaces[field]];
  const integerText = (field: keyof typeof recordPlaces): unknown => {
    const value = at(field);
    return typeof value === "number" ? String(value) : value;
  };
  return fromSpooledJson([
    traceVersion,
    at("request_id"),
    at("day"),
    integerText("user_id"),
    integerText("gateway_user_id"),
    integerText("api_key_id"),
    at("method"),
    at("path"),
    at("model"),
    at("outcome"),
    at("error_code"),
    at("http_status"),
    at("is_stream"),
    integerText("input_tokens"),
    integerText("output_tokens"),
    at("first_byte_ms"),
    at("duration_ms"),
    at("client_ip"),
    at("user_agent"),
    at("payload"),
    at("started_at"),
  ]);
}
