import type { CopyRows } from "../../platform/db-copy-rows.ts";
import { copyValue } from "../../platform/db-copy-values.ts";
import { recordedColumn, recordPlaces } from "./call-record.ts";
import type { RecordReader } from "./record-reader.ts";
import { usageRowColumns } from "./row-codec.ts";

/** Columns with a value of their own in each row, in the order in which `copyUsage` writes them. */
const ownColumns = [
  ...(["request_id", "started_at", "duration_ms", "first_byte_ms", "quota", "quota_held"] as const),
  ...(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"] as const),
  ...(["provider_cost_usd", "attempts"] as const),
];
/** More than these take, without the attempts and a cost. */
const ownBytesMax = 20 * ownColumns.length;
const integerMax = 2 ** 31 - 1;
/** Microseconds are exact up to here. */
const momentMax = Date.UTC(2200, 0, 1);
const decimal = /^\d+(?:\.\d+)?$/;
/** More digits can be more than the database takes. */
const costLengthMax = 10_000;
const own = new Set<string>(ownColumns);
const commonColumns = usageRowColumns.filter(({ name }) => !own.has(name));

/** @param table the log or, if all rows are of one day, its partition */
export const copyUsageSql = (
  table: string,
): string => `copy ${table} (${[...commonColumns.map(({ name }) => name), ...ownColumns].join(", ")})
  from stdin (format binary)`;

/** What rows of calls have in common, as `COPY` takes it. */
export type CommonUsage = { readonly row: Buffer; readonly attemptStart: Buffer; readonly attemptEnd: Buffer };

/** @throws RangeError, TypeError, SyntaxError when a field is not a value of its column */
export function commonUsage(fields: readonly unknown[]): CommonUsage {
  const values = commonColumns.map(({ name, type }) => {
    const column = recordedColumn(name);
    return copyValue(type, "place" in column ? fields[column.place] : column.value);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(usageRowColumns.length);
  const { start, end } = aroundTimes(fields);
  return {
    row: Buffer.concat([count, ...values]),
    // A value of jsonb begins with its version.
    attemptStart: Buffer.from(`\u0001${JSON.stringify(start).slice(0, -1)}`),
    attemptEnd: Buffer.from(JSON.stringify(end).slice(1)),
  };
}

/** The text of the attempt before its times and after them: as short as `usage_attempts` of the database reads it. */
function aroundTimes(fields: readonly unknown[]): { readonly start: string; readonly end: string } {
  const [start, end] = [`${fields[recordPlaces.attempt_start]}`, `${fields[recordPlaces.attempt_end]}`];
  if (!(start.isWellFormed() && end.isWellFormed())) {
    throw new TypeError("not an attempt that the database can hold");
  }
  const [attempt, ...others] = JSON.parse(`${start}0,0${end}`) as unknown[][];
  const [channelId, channel, , , status, result, rare] = attempt ?? [];
  // Anything else than a comma around the times would be a part of them.
  const isPlain =
    start.endsWith(",") &&
    end.startsWith(",") &&
    others.length === 0 &&
    status === 200 &&
    result === "answered" &&
    rare === undefined;
  return isPlain ? { start: `[[${JSON.stringify(channelId)},`, end: `,${JSON.stringify(channel)}]]` } : { start, end };
}

/**
 * Writes the usage row of the record that was read last from a text.
 * @returns false if a value is none of its column; what was written has to be cut off
 */
export function copyUsage(text: Buffer, record: RecordReader<CommonUsage, unknown>, out: CopyRows): boolean {
  const { common, durationMs, firstByteMs, startedAtMs, providerCost } = record;
  if (common === null || durationMs > integerMax || (firstByteMs ?? 0) > integerMax || startedAtMs > momentMax) {
    return false;
  }
  if (providerCost !== null && (providerCost.length > costLengthMax || !decimal.test(providerCost))) {
    return false;
  }
  const { row, attemptStart, attemptEnd } = common;
  const cost = providerCost === null ? null : copyValue("numeric", providerCost);
  const attemptLength = attemptStart.length + record.attemptTo - record.attemptFrom + attemptEnd.length;
  out.beginRow(row, ownBytesMax + (cost?.length ?? 0) + attemptLength);
  if (!out.uuid(text, record.requestIdAt)) {
    return false;
  }
  out.moment(startedAtMs);
  out.integer(durationMs);
  out.integerOrNull(firstByteMs);
  out.bigint(record.quota);
  out.bigint(record.quotaHeld);
  out.bigint(record.inputTokens);
  out.bigint(record.outputTokens);
  out.bigint(record.cacheReadTokens);
  out.bigint(record.cacheWriteTokens);
  out.bigint(record.reasoningTokens);
  if (cost === null) {
    out.length4(-1);
  } else {
    out.piece(cost, 0, cost.length);
  }
  out.length4(attemptLength);
  out.piece(attemptStart, 0, attemptStart.length);
  out.piece(text, record.attemptFrom, record.attemptTo);
  out.piece(attemptEnd, 0, attemptEnd.length);
  out.endRow();
  return true;
}
