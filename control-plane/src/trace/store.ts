import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";
import { arrayLiteral } from "../platform/db-array-literal.ts";
import type { SealedPayload, SpooledTrace } from "./model.ts";

/**
 * Inserts the traces of a batch; rows that are there already stay as they are. They travel in the form in which the spool
 * holds them: that costs the server as much as one array for each column (11 us a row), and this process a third (0.9 us).
 * @throws SQL.PostgresError, see `isMissingPartition` for a day without a partition
 */
export async function insertTraces(tx: Queryable, rows: readonly SpooledTrace[]): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const incoming = `[${rows.map(({ json }) => json).join(",")}]`;
  await tx.sql`
    insert into trace_record (request_id, day, user_id, gateway_user_id, api_key_id, method, path, model, status,
      error_code, http_status, is_stream, input_tokens, output_tokens, first_token_ms, duration_ms, client_ip, user_agent,
      payload, started_at)
    select (f->>1)::uuid, (f->>2)::date, (f->>3)::bigint, (f->>4)::bigint, (f->>5)::bigint, f->>6, f->>7, f->>8, f->>9,
      f->>10, (f->>11)::integer, (f->>12)::boolean, (f->>13)::bigint, (f->>14)::bigint, (f->>15)::integer,
      (f->>16)::integer, f->>17, f->>18, f->>19, timestamptz 'epoch' + (f->>20)::bigint * interval '1 millisecond'
    from jsonb_array_elements(${incoming}::text::jsonb) as incoming (f)
    on conflict do nothing`;
}

/** The most payloads that one statement takes. */
export const payloadRowsMax = 128;

/** Statements are prepared for these numbers of rows only; a batch takes the next larger one and leaves the rest empty. */
const payloadSlots = [1, 8, 32, payloadRowsMax] as const;

/**
 * Every sealed body is a parameter of its own, which the driver sends as it is: 4 us of our CPU for a row of 2 or 3 KB.
 * In one text of an array they would travel as hex (16 us, and three times the work for the server); a row of
 * parameters for each payload costs half as much again, and COPY through the other driver five times as much.
 */
const payloadStatements = new Map(payloadSlots.map((slots) => [slots as number, payloadStatement(slots)]));

function payloadStatement(slots: number): TemplateStringsArray {
  const strings = [
    `insert into payload_record (day, request_id, gateway_user_id, key_id, request_bytes, response_bytes,
      is_request_truncated, is_response_truncated, sealed)
    select * from unnest(`,
    "::date[], ",
    "::uuid[], ",
    "::bigint[], ",
    "::text[], ",
    "::bigint[], ",
    "::bigint[], ",
    "::boolean[], ",
    "::boolean[], array[",
    ...Array.from({ length: slots - 1 }, () => ", "),
    `]::bytea[]) as rows (day, request_id, gateway_user_id, key_id, request_bytes, response_bytes, is_request_truncated,
      is_response_truncated, sealed)
    where sealed is not null on conflict do nothing`,
  ];
  return Object.defineProperty(strings, "raw", { value: strings }) as string[] & { readonly raw: readonly string[] };
}

/** Inserts at most `payloadRowsMax` payloads; rows that are there already stay as they are. */
export async function insertPayloads(db: Queryable, rows: readonly SealedPayload[]): Promise<void> {
  const slots = payloadSlots.find((count) => count >= rows.length);
  const statement = payloadStatements.get(slots ?? 0);
  if (rows.length === 0 || slots === undefined || statement === undefined) {
    throw new RangeError(`${rows.length} payloads do not go into one statement`);
  }
  await db.sql(
    statement,
    arrayLiteral(rows.map((row) => row.day)),
    arrayLiteral(rows.map((row) => row.requestId)),
    arrayLiteral(rows.map((row) => row.gatewayUserId)),
    arrayLiteral(rows.map((row) => row.keyId)),
    arrayLiteral(rows.map((row) => row.requestBytes)),
    arrayLiteral(rows.map((row) => row.responseBytes)),
    arrayLiteral(rows.map((row) => row.isRequestTruncated)),
    arrayLiteral(rows.map((row) => row.isResponseTruncated)),
    ...Array.from({ length: slots }, (_, index) => rows[index]?.sealed ?? null),
  );
}

type PayloadRecord = {
  gateway_user_id: bigint;
  key_id: string;
  sealed: Uint8Array;
  request_bytes: bigint;
  response_bytes: bigint;
  is_request_truncated: boolean;
  is_response_truncated: boolean;
};

/** @param day UTC day of the call, YYYY-MM-DD */
export async function findPayload(db: Queryable, day: string, requestId: RequestId): Promise<SealedPayload | null> {
  const [row] = await db.sql<PayloadRecord>`
    select gateway_user_id, key_id, sealed, request_bytes, response_bytes, is_request_truncated, is_response_truncated
    from payload_record where day = ${day}::text::date and request_id = ${requestId}::text::uuid`;
  if (row === undefined) {
    return null;
  }
  return {
    requestId,
    day,
    gatewayUserId: row.gateway_user_id as GatewayUserId,
    keyId: row.key_id,
    sealed: row.sealed,
    requestBytes: Number(row.request_bytes),
    responseBytes: Number(row.response_bytes),
    isRequestTruncated: row.is_request_truncated,
    isResponseTruncated: row.is_response_truncated,
  };
}

/** The data key of a day as it is stored. `wrapped` is null once the key was destroyed; the row stays for ever. */
export type WrappedDayKey = { readonly keyId: string; readonly wrapped: Uint8Array | null };

export async function findDayKey(db: Queryable, day: string): Promise<WrappedDayKey | null> {
  const [row] = await db.sql<{ key_id: string; wrapped: Uint8Array | null }>`
    select key_id, wrapped from payload_day_key where day = ${day}::text::date`;
  return row === undefined ? null : { keyId: row.key_id, wrapped: row.wrapped };
}

/** Stores a new key unless the day has one already, also one that was destroyed. The caller reads what is there. */
export async function insertDayKey(db: Queryable, day: string, key: WrappedDayKey): Promise<void> {
  await db.sql`
    insert into payload_day_key (day, key_id, wrapped) values (${day}::text::date, ${key.keyId}, ${key.wrapped})
    on conflict do nothing`;
}
