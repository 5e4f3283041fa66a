import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { and, eq, sql } from "drizzle-orm";
import { payloadDayKey as dayKey, payloadRecord, payloadSegment } from "../db/schema/trace.ts";
import type { Queryable } from "../platform/db.ts";
import type { SealedPayload } from "./model.ts";

/**
 * Reads the payload of one call, and nothing else of its segment: the bytes are stored uncompressed and out of line, so
 * the server fetches only the pages it needs.
 * @param day UTC day of the call, YYYY-MM-DD
 */
export async function findPayload(db: Queryable, day: string, requestId: RequestId): Promise<SealedPayload | null> {
  const [row] = await db.drizzle
    .select({
      gatewayUserId: payloadRecord.gatewayUserId,
      sealed: sql<Uint8Array>`substring(${payloadSegment.sealed} from ${payloadRecord.byteOffset} + 1 for ${payloadRecord.byteLength})`,
    })
    .from(payloadRecord)
    .innerJoin(
      payloadSegment,
      and(eq(payloadSegment.day, payloadRecord.day), eq(payloadSegment.segmentId, payloadRecord.segmentId)),
    )
    .where(and(eq(payloadRecord.day, day), eq(payloadRecord.requestId, requestId)));
  return row === undefined ? null : { requestId, ...row, gatewayUserId: row.gatewayUserId as GatewayUserId };
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
