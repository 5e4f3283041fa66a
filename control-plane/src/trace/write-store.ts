/*
 * What the second thread of the books writes. Its heap has all that this imports, so it does without the query builder.
 */
import type { Queryable } from "../platform/db.ts";
import { type InsertTexts, incomingSql, type JsonList } from "../platform/spool/json-lists.ts";
import { recordPlaces } from "../usage/log/call-record.ts";
import type { PayloadSegment } from "./model.ts";

/** The columns of a trace in the order of the fields of its row, which follow the version. */
export const traceColumns = [
  ...["request_id uuid", "day date", "user_id bigint", "gateway_user_id bigint", "api_key_id bigint"],
  ...["method text", "path text", "model text", "status text", "error_code text", "http_status integer"],
  ...["is_stream boolean", "input_tokens bigint", "output_tokens bigint", "first_token_ms integer"],
  ...["duration_ms integer", "client_ip text", "user_agent text", "payload text", "started_at timestamptz"],
].map((column) => {
  const [name = "", type = ""] = column.split(" ");
  return { name, type };
});

/** Fields of the record of a call that have the name of a column of the usage log. */
const recordNames: Readonly<Record<string, string>> = { status: "outcome", first_token_ms: "first_byte_ms" };
export const recordPlace = (name: string): number =>
  (recordPlaces as Readonly<Record<string, number>>)[recordNames[name] ?? name] as number;

/** Inserts the elements of `incoming (f)`; times are milliseconds there. */
function insertSql(placeOf: (name: string, index: number) => number, rest: string): string {
  const values = traceColumns.map(({ name, type }, index) => {
    const text = `f->>${placeOf(name, index)}`;
    return type === "timestamptz"
      ? `timestamptz 'epoch' + (${text})::bigint * interval '1 millisecond'`
      : `(${text})::${type}`;
  });
  return `insert into trace_record (${traceColumns.map(({ name }) => name).join(", ")})
    select ${values.join(", ")} from incoming ${rest}`;
}

const skipExisting = "on conflict do nothing";
const insertTraces = (rest: string): string => `${incomingSql} ${insertSql((_, index) => index + 1, rest)}`;
const statements = { new: insertTraces(""), missing: insertTraces(skipExisting) };

const insertRecorded = (rest: string): string =>
  insertSql(recordPlace, `where f->>${recordPlaces.method} is not null ${rest}`);
/** Inserts the traces of records of calls: a part of the statement that inserts their usage rows. */
export const recordedTraces: InsertTexts = { new: insertRecorded(""), missing: insertRecorded(skipExisting) };

/**
 * Writes the traces of a batch that have a line of their own, in the transaction of the usage rows; existing rows stay as
 * they are. They are sent in the spool's format: that costs the server as much as one array for each column (11 us a row),
 * and this process a third (0.9 us).
 * @param isNew whether all are new, as far as anybody knows: without a provision for others they cost less
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
export async function writeTraces(tx: Queryable, { json, count }: JsonList, isNew = false): Promise<void> {
  if (count > 0) {
    await tx.query(statements[isNew ? "new" : "missing"], [json]);
  }
}

/**
 * Inserts a segment; one that exists stays as it is. One statement is its own transaction and costs one round trip.
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition
 */
export async function insertSegment(db: Queryable, segment: PayloadSegment): Promise<void> {
  const { day, segmentId, keyId, sealed, places, groups, firstCallMs, lastCallMs } = segment;
  await db.sql`
    insert into payload_segment (day, segment_id, key_id, first_call_ms, last_call_ms, sealed, places, groups)
    values (${day}::text::date, ${segmentId}::text::uuid, ${keyId}, ${firstCallMs}, ${lastCallMs}, ${sealed}, ${places},
      ${groups})
    on conflict do nothing`;
}
