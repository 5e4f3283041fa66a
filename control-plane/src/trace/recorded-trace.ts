import type { JsonBytes } from "../platform/spool/json-bytes.ts";
import { type CallRecord, recordPlaces, unkeptPerReplacement } from "../usage/log/call-record.ts";
import type { UsageRow } from "../usage/log/model.ts";
import type { SpooledTrace, TraceRow } from "./model.ts";
import { fromSpooledJson, traceVersion, userAgentBytesMax, wordBytesMax } from "./trace-row.ts";

/** Traces of the calls of one key say the same here most times. */
type RecordedEnd = { readonly row: TraceRow; readonly bytes: Buffer };

/** By the last bits of the key's id. */
const kept: (RecordedEnd | undefined)[] = [];
const keptMax = 1_024;
let unkept = 0;

/**
 * Writes what the trace of a call says besides its usage row, as the end of the call's record.
 * @returns false if it says something else than the usage row; what was written has to be cut off
 */
export function writeRecordedTrace(row: TraceRow, usage: UsageRow, out: JsonBytes): boolean {
  if (!(isOfCall(row, usage) && hasSameOutcome(row, usage))) {
    return false;
  }
  const place = Number(usage.apiKeyId) & (keptMax - 1);
  const known = kept[place];
  if (known !== undefined && isSameClient(row, known.row)) {
    out.add(known.bytes);
    return true;
  }
  const from = out.length;
  out.ascii(",");
  out.bigintOrNull(row.userId);
  out.ascii(",");
  out.text(row.method, wordBytesMax);
  out.ascii(",");
  out.text(row.clientIp, wordBytesMax);
  out.ascii(",");
  out.text(row.userAgent, userAgentBytesMax);
  out.ascii(",");
  out.text(row.payload);
  unkept += 1;
  if (out.isPlain && (known === undefined || unkept % unkeptPerReplacement === 0)) {
    kept[place] = { row, bytes: out.copyFrom(from) };
  }
  return out.isPlain;
}

function isOfCall(row: TraceRow, usage: UsageRow): boolean {
  return (
    row.requestId === usage.requestId &&
    row.day === usage.day &&
    row.gatewayUserId === usage.gatewayUserId &&
    row.apiKeyId === usage.apiKeyId &&
    row.path === usage.path &&
    row.startedAtMs === usage.startedAtMs
  );
}

function hasSameOutcome(row: TraceRow, usage: UsageRow): boolean {
  return (
    row.model === usage.model &&
    row.status === usage.outcome &&
    row.errorCode === usage.errorCode &&
    row.httpStatus === usage.httpStatus &&
    row.isStream === usage.isStream &&
    row.inputTokens === usage.units.inputTokens &&
    row.outputTokens === usage.units.outputTokens &&
    row.firstTokenMs === usage.firstByteMs &&
    row.durationMs === usage.durationMs &&
    isShort(row.path) &&
    isShort(row.model) &&
    isShort(row.errorCode)
  );
}

/** Longer words are truncated in a trace, and not in a usage row. */
function isShort(word: string | null): boolean {
  return word === null || word.length <= wordBytesMax;
}

function isSameClient(row: TraceRow, other: TraceRow): boolean {
  return (
    row.userId === other.userId &&
    row.method === other.method &&
    row.clientIp === other.clientIp &&
    row.userAgent === other.userAgent &&
    row.payload === other.payload
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
