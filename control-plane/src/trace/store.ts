import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { and, eq, sql } from "drizzle-orm";
import { payloadDayKey as dayKey, payloadSegment as segment } from "../db/schema/trace.ts";
import type { Queryable } from "../platform/db.ts";
import type { CallPlace, SealedPayload } from "./model.ts";

/** How long the stored bodies of a call were, and whether they were truncated. */
export type StoredBodies = {
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly is_request_truncated: boolean;
  readonly is_response_truncated: boolean;
};

type PayloadPlace = StoredBodies & {
  readonly segment_id: string;
  readonly gateway_user_id: bigint;
  readonly byte_offset: number;
  readonly byte_length: number;
};

async function findPlace(db: Queryable, { day, requestId }: CallPlace): Promise<PayloadPlace | null> {
  const [row] = await db.sql<PayloadPlace>`
    select segment_id::text as segment_id, gateway_user_id, byte_offset, byte_length, request_bytes::double precision,
      response_bytes::double precision, is_request_truncated, is_response_truncated
    from find_payload(${day}::text::date, ${requestId}::text::uuid)`;
  return row ?? null;
}

/** Null for a call whose bodies are not stored. */
export async function findStoredBodies(db: Queryable, call: CallPlace): Promise<StoredBodies | null> {
  const place = await findPlace(db, call);
  if (place === null) {
    return null;
  }
  const { request_bytes, response_bytes, is_request_truncated, is_response_truncated } = place;
  return { request_bytes, response_bytes, is_request_truncated, is_response_truncated };
}

/**
 * Reads the payload of one call, and nothing else of its segment: the bytes are stored uncompressed and out of line, so
 * the server fetches only the pages it needs.
 * @param day UTC day of the call, YYYY-MM-DD
 */
export async function findPayload(db: Queryable, day: string, requestId: RequestId): Promise<SealedPayload | null> {
  const place = await findPlace(db, { day, requestId });
  if (place === null) {
    return null;
  }
  const [row] = await db.drizzle
    .select({
      sealed: sql<Uint8Array>`substring(${segment.sealed} from ${place.byte_offset + 1}::integer for ${place.byte_length}::integer)`,
    })
    .from(segment)
    .where(and(eq(segment.day, day), eq(segment.segmentId, place.segment_id)));
  return row === undefined
    ? null
    : { requestId, gatewayUserId: place.gateway_user_id as GatewayUserId, sealed: row.sealed };
}

/** A day's data key as stored. `wrapped` is null once the key was destroyed; the row stays forever. */
export type WrappedDayKey = { readonly keyId: string; readonly wrapped: Uint8Array | null };

export async function findDayKey(db: Queryable, day: string): Promise<WrappedDayKey | null> {
  const [row] = await db.drizzle
    .select({ keyId: dayKey.keyId, wrapped: dayKey.wrapped })
    .from(dayKey)
    .where(eq(dayKey.day, day));
  return row ?? null;
}

/** Stores a new key unless the day already has one, even a destroyed one. The caller then reads the stored key. */
export async function insertDayKey(db: Queryable, day: string, key: WrappedDayKey): Promise<void> {
  await db.drizzle
    .insert(dayKey)
    .values({ day, ...key })
    .onConflictDoNothing();
}
