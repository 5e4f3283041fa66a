import type { CopyRows } from "../platform/db-copy-rows.ts";
import { copyValue } from "../platform/db-copy-values.ts";
import { recordPlaces } from "../usage/log/call-record.ts";
import type { RecordReader } from "../usage/log/record-reader.ts";
import { recordPlace, traceColumns } from "./write-store.ts";

/** Columns with a value of their own in each row, in the order in which `copyTrace` writes them. */
const ownColumns = ["request_id", "started_at", "input_tokens", "output_tokens", "first_token_ms", "duration_ms"];
/** More than these take. */
const ownBytesMax = 20 * ownColumns.length;
const commonColumns = traceColumns.filter(({ name }) => !ownColumns.includes(name));

/** @param table the log or, if all rows are of one day, its partition */
export const copyTracesSql = (
  table: string,
): string => `copy ${table} (${[...commonColumns.map(({ name }) => name), ...ownColumns].join(", ")})
  from stdin (format binary)`;

/**
 * What traces of calls have in common, as `COPY` takes it.
 * @param fields of a record, and of its end where those between would be
 * @throws RangeError, TypeError when a field is not a value of its column
 */
export function commonTrace(fields: readonly unknown[]): Buffer {
  if (fields[recordPlaces.method] === null) {
    throw new TypeError("to the statement that inserts records, one without a method has no trace");
  }
  const values = commonColumns.map(({ name, type }) => copyValue(type, fields[recordPlace(name)]));
  const count = Buffer.alloc(2);
  count.writeInt16BE(traceColumns.length);
  return Buffer.concat([count, ...values]);
}

/** Writes the trace of the record that was read last from a text, if it has one. */
export function copyTrace(text: Buffer, record: RecordReader<unknown, Buffer>, out: CopyRows): void {
  if (record.end === null) {
    return;
  }
  out.beginRow(record.end, ownBytesMax);
  out.uuid(text, record.requestIdAt);
  out.moment(record.startedAtMs);
  out.bigint(record.inputTokens);
  out.bigint(record.outputTokens);
  out.integerOrNull(record.firstByteMs);
  out.integer(record.durationMs);
  out.endRow();
}
