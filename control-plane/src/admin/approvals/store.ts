import type { ActKind } from "@sluice/contracts/approvals";
import { and, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import { equalsConstant, excluded, fromNow, now, today } from "../../db/expressions.ts";
import { adminAllowance as allowance, approval } from "../../db/schema/approvals.ts";
import type { Queryable } from "../../platform/db.ts";
import type { AllowanceKind, Amount, Approval, ApprovalStatus } from "./model.ts";

/** Adds to what an admin has moved on the current UTC day of the database; locks the row until the transaction ends. */
export async function countAmount(tx: Queryable, adminId: bigint, { kind, quota }: Amount): Promise<bigint> {
  const [row] = await tx.drizzle
    .insert(allowance)
    .values({ adminId, day: today, kind, quota })
    .onConflictDoUpdate({
      target: [allowance.adminId, allowance.day, allowance.kind],
      set: { quota: sql`${allowance.quota} + ${excluded(allowance.quota)}` },
    })
    .returning({ quota: allowance.quota });
  if (row === undefined) {
    throw new Error("the amount was not counted");
  }
  return row.quota;
}

/** What an admin has moved today. */
export async function readCounted(db: Queryable, adminId: bigint, kind: AllowanceKind): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ quota: allowance.quota })
    .from(allowance)
    .where(and(eq(allowance.adminId, adminId), eq(allowance.day, today), eq(allowance.kind, kind)));
  return row?.quota ?? 0n;
}

const isPending = equalsConstant(approval.status, "pending");

const fields = {
  id: approval.id,
  kind: approval.kind,
  input: approval.input,
  reason: approval.reason,
  effects: approval.effects,
  requestedBy: approval.requestedBy,
  requestedByName: approval.requestedByName,
  requestId: approval.requestId,
  ip: approval.ip,
  idempotencyKey: approval.idempotencyKey,
  status: sql<ApprovalStatus>`case when ${approval.status} = 'pending' and ${approval.expiresAt} <= now() then 'expired'
    else ${approval.status} end`,
  expiresAt: approval.expiresAt,
  decidedByName: approval.decidedByName,
  decidedAt: approval.decidedAt,
  decisionReason: approval.decisionReason,
  createdAt: approval.createdAt,
};

export type NewApproval = Pick<
  Approval,
  "kind" | "reason" | "effects" | "requestedBy" | "requestedByName" | "requestId" | "ip" | "idempotencyKey"
> & {
  /** The input as JSON text. */
  readonly input: string;
  readonly hours: number;
};

/** Creates a request; null when one of the same kind and key is already waiting. */
export async function insertApproval(tx: Queryable, made: NewApproval): Promise<Approval | null> {
  const { input, hours, ...rest } = made;
  const [row] = await tx.drizzle
    .insert(approval)
    .values({ ...rest, input: sql`${input}::text::jsonb`, expiresAt: fromNow(hours, "hours") })
    .onConflictDoNothing({
      target: [approval.kind, approval.idempotencyKey],
      where: isPending,
    })
    .returning(fields);
  return row ?? null;
}

export async function findPending(tx: Queryable, kind: ActKind, idempotencyKey: string): Promise<Approval | null> {
  const [row] = await tx.drizzle
    .select(fields)
    .from(approval)
    .where(and(eq(approval.kind, kind), eq(approval.idempotencyKey, idempotencyKey), isPending));
  return row ?? null;
}

export async function findApproval(db: Queryable, id: bigint): Promise<Approval | null> {
  const [row] = await db.drizzle.select(fields).from(approval).where(eq(approval.id, id));
  return row ?? null;
}

/** The request, locked until the end of the transaction. */
export async function lockApproval(tx: Queryable, id: bigint): Promise<Approval | null> {
  const [row] = await tx.drizzle.select(fields).from(approval).where(eq(approval.id, id)).for("update");
  return row ?? null;
}

/** All requests: first those that wait, then the others; each group newest first. */
export async function listApprovals(db: Queryable, limit: number): Promise<Approval[]> {
  return await db.drizzle
    .select(fields)
    .from(approval)
    .orderBy(sql`${approval.status} = 'pending' and ${approval.expiresAt} > now() desc`, desc(approval.id))
    .limit(limit);
}

/** How many requests wait. */
export async function countPending(db: Queryable): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ count: sql<bigint>`count(*)` })
    .from(approval)
    .where(and(isPending, gt(approval.expiresAt, now)));
  return row?.count ?? 0n;
}

/** Stores the encrypted part of the input with the request. */
export async function keepSealed(tx: Queryable, id: bigint, sealed: Uint8Array): Promise<void> {
  await tx.drizzle.update(approval).set({ sealed }).where(eq(approval.id, id));
}

export async function findSealed(tx: Queryable, id: bigint): Promise<Uint8Array | null> {
  const [row] = await tx.drizzle.select({ sealed: approval.sealed }).from(approval).where(eq(approval.id, id));
  return row?.sealed ?? null;
}

/** Closes an approval and deletes its encrypted part. */
export async function closeApproval(
  tx: Queryable,
  id: bigint,
  end: {
    readonly status: "approved" | "rejected";
    readonly adminId: bigint;
    readonly adminName: string;
    readonly reason: string;
  },
): Promise<void> {
  await tx.drizzle
    .update(approval)
    .set({
      status: end.status,
      decidedBy: end.adminId,
      decidedByName: end.adminName,
      decidedAt: now,
      decisionReason: end.reason,
      sealed: null,
      updatedAt: now,
    })
    .where(eq(approval.id, id));
}

/** Marks requests that have expired, so that the same act can be requested again. */
export async function expireApprovals(db: Queryable): Promise<void> {
  await db.drizzle
    .update(approval)
    .set({ status: "expired", sealed: null, updatedAt: now })
    .where(and(isPending, lte(approval.expiresAt, now)));
}

/** Only today's amounts count; the amounts of a week are kept for inspection. */
export async function deleteOldAllowances(db: Queryable): Promise<void> {
  await db.drizzle.delete(allowance).where(lt(allowance.day, sql`${today} - 7`));
}
