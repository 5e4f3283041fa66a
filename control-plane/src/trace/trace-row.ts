import type { RequestId } from "@sluice/contracts/ids";
import type { Amount } from "../platform/amount.ts";
import { utcDay } from "../platform/clock.ts";
import type { JsonBytes } from "../platform/spool/json-bytes.ts";
import type { AnyTrace, ReportedCall, SpooledTrace, TraceRow } from "./model.ts";
import { visibleText } from "./visible-text.ts";

/** The first element of an encoded row; a new layout gets a new number, so that old spools can still be read. */
export const traceVersion = 1;

export const userAgentBytesMax = 1024;
const pathBytesMax = 1024;
export const wordBytesMax = 256;

/**
 * The row in the format in which it is spooled and sent to the database: an array without names, in the order that the
 * statement in `write-store.ts` reads. What strangers may have written (user agent, path, model, method) is truncated to its
 * limit and made visible here, once, so that no reader of the table meets control characters. Takes 0.7 us.
 */
export function toSpooledTrace(row: TraceRow): SpooledTrace {
  const json = JSON.stringify([
    traceVersion,
    row.requestId,
    row.day,
    integerText(row.userId),
    integerText(row.gatewayUserId),
    integerText(row.apiKeyId),
    visibleText(row.method, wordBytesMax),
    visibleText(row.path, pathBytesMax),
    row.model === null ? null : visibleText(row.model, wordBytesMax),
    row.status,
    row.errorCode === null ? null : visibleText(row.errorCode, wordBytesMax),
    row.httpStatus,
    row.isStream,
    integerText(row.inputTokens),
    integerText(row.outputTokens),
    row.firstTokenMs === null ? null : Math.round(row.firstTokenMs),
    Math.round(row.durationMs),
    visibleText(row.clientIp, wordBytesMax),
    visibleText(row.userAgent, userAgentBytesMax),
    row.payload,
    row.startedAtMs,
  ]);
  return { requestId: row.requestId, day: row.day, json };
}

/** The text of a row. */
export function traceText(trace: AnyTrace): string {
  return "json" in trace ? trace.json : toSpooledTrace(madeRow(trace)).json;
}

const madeRow = (trace: TraceRow | ReportedCall): TraceRow => ("toRow" in trace ? trace.toRow() : trace);

/** The same as bytes: what has to be shortened or made visible is left to `traceText`. It is called for every call. */
export function writeTraceRow(trace: AnyTrace, out: JsonBytes): void {
  if ("json" in trace) {
    out.json(trace.json);
    return;
  }
  const row = madeRow(trace);
  out.ascii(opening);
  out.text(row.requestId);
  out.ascii(",");
  out.text(row.day);
  writeInteger(row.userId, out);
  writeInteger(row.gatewayUserId, out);
  writeInteger(row.apiKeyId, out);
  out.ascii(",");
  out.text(row.method, wordBytesMax);
  out.ascii(",");
  out.text(row.path, pathBytesMax);
  out.ascii(",");
  out.textOrNull(row.model, wordBytesMax);
  out.ascii(",");
  out.text(row.status);
  out.ascii(",");
  out.textOrNull(row.errorCode, wordBytesMax);
  out.ascii(",");
  out.integer(row.httpStatus);
  out.ascii(row.isStream ? ",true" : ",false");
  writeInteger(row.inputTokens, out);
  writeInteger(row.outputTokens, out);
  out.ascii(",");
  out.integerOrNull(row.firstTokenMs === null ? null : Math.round(row.firstTokenMs));
  out.ascii(",");
  out.integer(Math.round(row.durationMs));
  out.ascii(",");
  out.text(row.clientIp, wordBytesMax);
  out.ascii(",");
  out.text(row.userAgent, userAgentBytesMax);
  out.ascii(",");
  out.text(row.payload);
  out.ascii(",");
  out.integer(row.startedAtMs);
  out.ascii("]");
}

const opening = `[${traceVersion},`;

/** With a comma before it. */
function writeInteger(value: Amount | null, out: JsonBytes): void {
  if (value === null) {
    out.ascii(",null");
  } else {
    out.ascii(',"');
    out.amount(value);
    out.ascii('"');
  }
}

/** As text, because a JSON number is not exact beyond 2^53. */
function integerText(value: Amount | null): string | null {
  return value === null ? null : value.toString();
}

type Check = (value: unknown) => boolean;

/** The rows that are read together are nearly always of one day. */
let latestDay = "";

function isDay(value: unknown): boolean {
  if (value === latestDay) {
    return true;
  }
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return false;
  }
  const atMs = Date.parse(`${value}T00:00:00Z`);
  const isReal = Number.isFinite(atMs) && utcDay(atMs) === value;
  latestDay = isReal ? value : latestDay;
  return isReal;
}

const isText: Check = (value) => typeof value === "string";
const isInteger: Check = (value) => Number.isSafeInteger(value);
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const orNull =
  (isValid: Check): Check =>
  (value) =>
    value === null || isValid(value);
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);

const isBigInteger = orNull(matches(/^-?\d{1,19}$/));

/** What each field of a row has to be. Written out, because a process that is behind reads back all its rows. */
const checks: readonly Check[] = [
  oneOf(traceVersion),
  matches(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  isDay,
  ...[isBigInteger, isBigInteger, isBigInteger],
  ...[isText, isText, orNull(isText)],
  oneOf("completed", "aborted", "failed", "refused"),
  orNull(isText),
  isInteger,
  (value) => typeof value === "boolean",
  ...[isBigInteger, isBigInteger],
  ...[orNull(isInteger), isInteger],
  ...[isText, isText],
  oneOf("stored", "off", "dropped", "none"),
  isInteger,
];

/**
 * Decodes a row from the parsed JSON of a spool: after a start, and where more rows wait than memory keeps.
 * @throws TypeError when it is not a row of a known version
 */
export function fromSpooledJson(value: unknown): SpooledTrace {
  if (!Array.isArray(value) || value.length !== checks.length) {
    throw new TypeError("not a trace row of a known version");
  }
  const wrong = checks.findIndex((isValid, index) => !isValid(value[index]));
  if (wrong !== -1) {
    throw new TypeError(`field ${wrong} of a trace row is not valid`);
  }
  const [, requestId, day] = value as [number, RequestId, string];
  return { requestId, day, json: JSON.stringify(value) };
}
