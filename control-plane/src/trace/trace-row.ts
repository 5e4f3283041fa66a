import type { ApiKeyId, GatewayUserId, RequestId, UserId } from "@sluice/contracts/ids";
import { z } from "zod";
import type { TraceRow } from "./model.ts";
import { visibleText } from "./visible-text.ts";

/** The first element of an encoded row; a new layout gets a new number, so that old spools can still be read. */
const version = 1;

const userAgentBytesMax = 1024;
const pathBytesMax = 1024;
const wordBytesMax = 256;

/**
 * The row as it is stored: whole z.int(), and what strangers may have written (user agent, path, model, method) cut
 * to its limit and made visible. It happens once, before the row goes into the spool, so that no reader of the table
 * meets control characters.
 */
export function toStoredRow(row: TraceRow): TraceRow {
  return {
    ...row,
    method: visibleText(row.method, wordBytesMax),
    path: visibleText(row.path, pathBytesMax),
    model: row.model === null ? null : visibleText(row.model, wordBytesMax),
    firstTokenMs: row.firstTokenMs === null ? null : Math.round(row.firstTokenMs),
    durationMs: Math.round(row.durationMs),
    userAgent: visibleText(row.userAgent, userAgentBytesMax),
  };
}

/** One line of JSON for the spool, in 0.6 us. */
export function encodeTraceRow(row: TraceRow): string {
  return JSON.stringify([
    version,
    row.requestId,
    row.day,
    integerText(row.userId),
    integerText(row.gatewayUserId),
    integerText(row.apiKeyId),
    row.method,
    row.path,
    row.model,
    row.status,
    row.errorCode,
    row.httpStatus,
    row.isStream,
    integerText(row.inputTokens),
    integerText(row.outputTokens),
    row.firstTokenMs,
    row.durationMs,
    row.clientIp,
    row.userAgent,
    row.payload,
    row.startedAtMs,
  ]);
}

function integerText(value: bigint | null): string | null {
  return value === null ? null : value.toString();
}

const integer = z
  .string()
  .regex(/^-?\d{1,19}$/)
  .transform(BigInt)
  .nullable();

const encodedRow = z.tuple([
  z.literal(version),
  z.uuid().transform((id) => id as RequestId),
  z.iso.date(),
  integer.transform((id) => id as UserId | null),
  integer.transform((id) => id as GatewayUserId | null),
  integer.transform((id) => id as ApiKeyId | null),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.enum(["completed", "aborted", "failed", "refused"]),
  z.string().nullable(),
  z.int(),
  z.boolean(),
  integer,
  integer,
  z.int().nullable(),
  z.int(),
  z.string(),
  z.string(),
  z.enum(["stored", "off", "dropped", "none"]),
  z.int(),
]);

/**
 * Reads the parsed JSON of a spooled row; only needed when a spool is replayed.
 * @throws ZodError when it is not a row of a known version
 */
export function decodeTraceRow(value: unknown): TraceRow {
  const row = encodedRow.parse(value);
  return {
    requestId: row[1],
    day: row[2],
    userId: row[3],
    gatewayUserId: row[4],
    apiKeyId: row[5],
    method: row[6],
    path: row[7],
    model: row[8],
    status: row[9],
    errorCode: row[10],
    httpStatus: row[11],
    isStream: row[12],
    inputTokens: row[13],
    outputTokens: row[14],
    firstTokenMs: row[15],
    durationMs: row[16],
    clientIp: row[17],
    userAgent: row[18],
    payload: row[19],
    startedAtMs: row[20],
  };
}
