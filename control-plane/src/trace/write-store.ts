/*
 * What the second thread of the books writes. Its heap has all that this imports, so it does without the query builder.
 */
import type { Queryable } from "../platform/db.ts";
import { JsonBytes } from "../platform/spool/json-bytes.ts";
import { type InsertTexts, incomingSql, type JsonList } from "../platform/spool/json-lists.ts";
import { recordPlaces } from "../usage/log/call-record.ts";
import type { PayloadRecord, PayloadSegment } from "./model.ts";

/** The columns of a trace in the order of the fields of its row, which follow the version. */
const columns = [
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
const recordPlace = (name: string): number =>
  (recordPlaces as Readonly<Record<string, number>>)[recordNames[name] ?? name] as number;

/** Inserts the elements of `incoming (f)`; times are milliseconds there. */
function insertSql(placeOf: (name: string, index: number) => number, rest: string): string {
  const values = columns.map(({ name, type }, index) => {
    const text = `f->>${placeOf(name, index)}`;
    return type === "timestamptz"
      ? `timestamptz 'epoch' + (${text})::bigint * interval '1 millisecond'`
      : `(${text})::${type}`;
  });
  return `insert into trace_record (${columns.map(({ name }) => name).join(", ")})
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

const insertRows = (onConflict: string): string => `
  with segment as (
    insert into payload_segment (day, segment_id, key_id, sealed)
    values ($1::text::date, $2::text::uuid, $3, $4)
    ${onConflict})
  insert into payload_record (day, request_id, gateway_user_id, segment_id, byte_offset, byte_length, request_bytes,
    response_bytes, is_request_truncated, is_response_truncated)
  select $1::text::date, (f->>0)::uuid, (f->>1)::bigint, $2::text::uuid, (f->>2)::integer,
    (f->>3)::integer, (f->>4)::bigint, (f->>5)::bigint, (f->>6)::boolean, (f->>7)::boolean
  from jsonb_array_elements(convert_from($5::bytea, 'UTF8')::jsonb) as incoming (f)
  ${onConflict}`;
const insertNewSegment = insertRows("");
const insertMissingSegment = insertRows("on conflict do nothing");

/**
 * Inserts a segment and the records of its payloads, both or neither; existing ones stay as they are. One statement is
 * its own transaction and costs one round trip. Both the encrypted bytes and the records are sent as they are.
 * @param isNew whether all are new, as far as anybody knows: without a provision for others they cost less
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
export async function insertSegment(db: Queryable, segment: PayloadSegment, isNew = false): Promise<void> {
  const { day, segmentId, keyId, sealed, records } = segment;
  const values = [day, segmentId, keyId, sealed, recordsJson(records)];
  await db.query(isNew ? insertNewSegment : insertMissingSegment, values);
}

/** Records as arrays without names, in the order that the statement reads. As a text that takes five times as long. */
function recordsJson(records: readonly PayloadRecord[]): Uint8Array {
  const out = new JsonBytes();
  for (const record of records) {
    out.ascii(out.length === 0 ? '[["' : ',["');
    out.ascii(record.requestId);
    out.ascii('",');
    out.ascii(record.gatewayUserId.toString());
    for (const length of [record.byteOffset, record.byteLength, record.requestBytes, record.responseBytes]) {
      out.ascii(",");
      out.integer(length);
    }
    out.ascii(record.isRequestTruncated ? ",true" : ",false");
    out.ascii(record.isResponseTruncated ? ",true]" : ",false]");
  }
  out.ascii("]");
  return out.written;
}
