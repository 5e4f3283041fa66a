/*
 * What the second thread of the books writes. Its heap has all that this imports, so it does without the query builder.
 */
import type { Queryable } from "../platform/db.ts";
import type { PayloadRecord, PayloadSegment } from "./model.ts";

const noTraces = "[]";

/** Writes trace rows in the form of `tracesJson`, in the transaction of the usage rows of the same calls. */
export async function writeTraces(tx: Queryable, incoming: string, isNew = false): Promise<void> {
  if (incoming !== noTraces) {
    await insertTraces(tx, incoming, isNew);
  }
}

/**
 * Inserts the traces of a batch; existing rows stay as they are. They are sent in the spool's format: that costs the
 * server as much as one array for each column (11 us a row), and this process a third (0.9 us).
 * @param incoming a JSON list of traces
 * @param isNew whether all are new, as far as anybody knows: without a provision for others they cost less
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
async function insertTraces(tx: Queryable, incoming: string, isNew = false): Promise<void> {
  await tx.query(
    `insert into trace_record (request_id, day, user_id, gateway_user_id, api_key_id, method, path, model, status,
      error_code, http_status, is_stream, input_tokens, output_tokens, first_token_ms, duration_ms, client_ip, user_agent,
      payload, started_at)
    select (f->>1)::uuid, (f->>2)::date, (f->>3)::bigint, (f->>4)::bigint, (f->>5)::bigint, f->>6, f->>7, f->>8, f->>9,
      f->>10, (f->>11)::integer, (f->>12)::boolean, (f->>13)::bigint, (f->>14)::bigint, (f->>15)::integer,
      (f->>16)::integer, f->>17, f->>18, f->>19, timestamptz 'epoch' + (f->>20)::bigint * interval '1 millisecond'
    from jsonb_array_elements($1::text::jsonb) as incoming (f)
    ${isNew ? "" : "on conflict do nothing"}`,
    [incoming],
  );
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
  from jsonb_array_elements($5::text::jsonb) as incoming (f)
  ${onConflict}`;
const insertNewSegment = insertRows("");
const insertMissingSegment = insertRows("on conflict do nothing");

/**
 * Inserts a segment and the records of its payloads, both or neither; existing ones stay as they are. One statement is
 * its own transaction and costs one round trip. The encrypted bytes are a parameter, which the driver sends as they
 * are.
 * @param isNew whether all are new, as far as anybody knows: without a provision for others they cost less
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition, and `isUniqueViolation` if not all of
 * them were new
 */
export async function insertSegment(db: Queryable, segment: PayloadSegment, isNew = false): Promise<void> {
  const { day, segmentId, keyId, sealed, records } = segment;
  const values = [day, segmentId, keyId, sealed, recordsJson(records)];
  await db.query(isNew ? insertNewSegment : insertMissingSegment, values);
}

/** Records as arrays without names, in the order that the statement reads. This takes 0.2 us a record. */
function recordsJson(records: readonly PayloadRecord[]): string {
  return JSON.stringify(
    records.map((record) => [
      record.requestId,
      record.gatewayUserId.toString(),
      record.byteOffset,
      record.byteLength,
      record.requestBytes,
      record.responseBytes,
      record.isRequestTruncated,
      record.isResponseTruncated,
    ]),
  );
}
