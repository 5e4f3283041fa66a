import { and, desc, eq, lt, sql } from "drizzle-orm";
import { payloadAccessHead as head, payloadAccess as link } from "../db/schema/trace.ts";
import type { Queryable } from "../platform/db.ts";

/** The admin who is about to read a payload, and the payload. */
export type PayloadAccess = {
  readonly adminId: bigint;
  readonly adminName: string;
  readonly day: string;
  readonly requestId: string;
  readonly gatewayUserId: bigint;
  readonly reason: string;
  readonly ip: string;
  /** The id of the reading request. */
  readonly askedBy: string;
};

export type WrittenAccess = { readonly number: bigint; readonly hash: string };

/**
 * Adds a link to the chain of accesses, unless this admin has read too many payloads in the last hour.
 * @returns the link, or the seconds to wait
 */
export async function insertAccess(
  tx: Queryable,
  access: PayloadAccess,
  readsPerHour: number,
): Promise<WrittenAccess | { readonly waitSeconds: number }> {
  const row = {
    admin_id: access.adminId.toString(),
    admin_name: access.adminName,
    day: access.day,
    request_id: access.requestId,
    gateway_user_id: access.gatewayUserId.toString(),
    reason: access.reason,
    ip: access.ip,
    asked_by: access.askedBy,
  };
  const [written] = await tx.sql<{ number: bigint | null; hash: string | null; wait_seconds: number | null }>`
    select link_number as number, encode(link_hash, 'hex') as hash, wait_seconds
    from record_payload_access(${JSON.stringify(row)}::text::jsonb, ${readsPerHour}::integer)`;
  if (written?.wait_seconds !== undefined && written.wait_seconds !== null) {
    return { waitSeconds: written.wait_seconds };
  }
  if (written?.number === undefined || written.number === null || written.hash === null) {
    throw new Error("the access was not written down");
  }
  return { number: written.number, hash: written.hash };
}

/** An access as it is shown. */
export type AccessRow = {
  readonly number: bigint;
  readonly at: Date;
  readonly admin_id: bigint;
  readonly admin_name: string;
  readonly request_id: string;
  readonly day: string;
  readonly gateway_user_id: bigint;
  readonly reason: string;
  readonly ip: string;
  readonly hash: string;
};

export type AccessFilter = {
  readonly requestId: string | null;
  readonly adminId: bigint | null;
  /** Selects only links with a smaller number. */
  readonly before: bigint | null;
};

const hashText = sql<string>`encode(${link.hash}, 'hex')`;

/** Accesses, newest first. */
export async function listAccesses(db: Queryable, filter: AccessFilter, limit: number): Promise<AccessRow[]> {
  const { requestId, adminId, before } = filter;
  return await db.drizzle
    .select({
      number: link.number,
      at: link.at,
      admin_id: link.adminId,
      admin_name: link.adminName,
      request_id: link.requestId,
      day: link.day,
      gateway_user_id: link.gatewayUserId,
      reason: link.reason,
      ip: link.ip,
      hash: hashText,
    })
    .from(link)
    .where(
      and(
        requestId === null ? undefined : eq(link.requestId, requestId),
        adminId === null ? undefined : eq(link.adminId, adminId),
        before === null ? undefined : lt(link.number, before),
      ),
    )
    .orderBy(desc(link.number))
    .limit(limit);
}

export type AccessFinding = { readonly finding: string; readonly link_number: bigint | null };

/** The faults in the chain; empty when it is intact. Reads the whole chain. */
export async function findBrokenAccesses(db: Queryable): Promise<AccessFinding[]> {
  return await db.sql<AccessFinding>`select finding, link_number from check_payload_access()`;
}

/** The last link; null when someone removed it. */
export async function findAccessHead(db: Queryable): Promise<WrittenAccess | null> {
  const [row] = await db.drizzle
    .select({ number: head.number, hash: sql<string>`encode(${head.hash}, 'hex')` })
    .from(head)
    .where(eq(head.id, 1));
  return row ?? null;
}

/** Whether the chain has this link with this hash (in hex). */
export async function isAccess(db: Queryable, { number, hash }: WrittenAccess): Promise<boolean> {
  const rows = await db.drizzle
    .select({ number: link.number })
    .from(link)
    .where(and(eq(link.number, number), eq(hashText, hash)));
  return rows.length === 1;
}
