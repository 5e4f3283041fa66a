import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { codeBatch as batch, redemptionCode as code, codeRedemption as redemption } from "../../db/schema/codes.ts";
import type { Queryable } from "../../platform/db.ts";
import type { PlanKind } from "../model.ts";

export type NewBatch = {
  readonly name: string;
  readonly note: string;
  /** The plan of a month; null for balance. */
  readonly planCode: string | null;
  readonly planKind: PlanKind;
  readonly quota: bigint;
  readonly groupName: string | null;
  readonly count: number;
  readonly isOncePerUser: boolean;
  readonly expiresAt: Date | null;
  readonly createdBy: string;
  readonly idempotencyKey: string | null;
};

export type CodeBatch = NewBatch & {
  readonly id: bigint;
  readonly revokedAt: Date | null;
  readonly sealedSeed: Uint8Array | null;
  readonly createdAt: Date;
};

const columns = {
  id: batch.id,
  name: batch.name,
  note: batch.note,
  planCode: batch.planCode,
  planKind: batch.planKind,
  quota: batch.quota,
  groupName: batch.groupName,
  count: batch.count,
  isOncePerUser: batch.isOncePerUser,
  expiresAt: batch.expiresAt,
  revokedAt: batch.revokedAt,
  createdBy: batch.createdBy,
  idempotencyKey: batch.idempotencyKey,
  sealedSeed: batch.sealedSeed,
  createdAt: batch.createdAt,
};

/** Null when its idempotency key is taken. */
export async function insertBatch(tx: Queryable, made: NewBatch): Promise<CodeBatch | null> {
  const [row] = await tx.drizzle
    .insert(batch)
    .values({ ...made })
    .onConflictDoNothing({ target: batch.idempotencyKey })
    .returning(columns);
  return row ?? null;
}

export async function findBatchByKey(db: Queryable, idempotencyKey: string): Promise<CodeBatch | null> {
  const [row] = await db.drizzle.select(columns).from(batch).where(eq(batch.idempotencyKey, idempotencyKey));
  return row ?? null;
}

export async function keepSeed(tx: Queryable, id: bigint, sealedSeed: Uint8Array): Promise<void> {
  await tx.drizzle.update(batch).set({ sealedSeed }).where(eq(batch.id, id));
}

/** @throws database errors: a digest that exists already is one */
export async function insertCodes(tx: Queryable, batchId: bigint, digests: readonly Uint8Array[]): Promise<void> {
  await tx.drizzle.insert(code).values(digests.map((digest) => ({ batchId, digest })));
}

/** Those of the digests that codes have already. */
export async function findKnownDigests(tx: Queryable, digests: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const rows = await tx.drizzle
    .select({ digest: code.digest })
    .from(code)
    .where(inArray(code.digest, [...digests]));
  return rows.map(({ digest }) => digest);
}

export async function findBatch(db: Queryable, id: bigint): Promise<CodeBatch | null> {
  const [row] = await db.drizzle.select(columns).from(batch).where(eq(batch.id, id));
  return row ?? null;
}

/** Revokes a batch that is not revoked yet; waits for redemptions that have begun. */
export async function revokeBatch(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle
    .update(batch)
    .set({ revokedAt: now, updatedAt: now })
    .where(and(eq(batch.id, id), isNull(batch.revokedAt)));
}

export type FoundCode = { readonly codeId: bigint; readonly batch: CodeBatch };

/** The code with this digest, locked until the end of the transaction, with its batch, which nobody can revoke until then. */
export async function lockCode(tx: Queryable, digest: Uint8Array): Promise<FoundCode | null> {
  const [locked] = await tx.drizzle
    .select({ codeId: code.id, batchId: code.batchId })
    .from(code)
    .where(eq(code.digest, digest))
    .for("update");
  if (locked === undefined) {
    return null;
  }
  const [row] = await tx.drizzle.select(columns).from(batch).where(eq(batch.id, locked.batchId)).for("share");
  return row === undefined ? null : { codeId: locked.codeId, batch: row };
}

export type Redemption = { readonly userId: UserId; readonly orderNo: string };

export async function findRedemption(db: Queryable, codeId: bigint): Promise<Redemption | null> {
  const [row] = await db.drizzle
    .select({ userId: redemption.userId, orderNo: order.orderNo })
    .from(redemption)
    .innerJoin(order, eq(order.id, redemption.orderId))
    .where(eq(redemption.codeId, codeId));
  return (row ?? null) as Redemption | null;
}

export type CodeUse = FoundCode & { readonly userId: UserId; readonly orderId: bigint };

/** Records the use of a code. False when the user has used one of its batch, where that is allowed once. */
export async function insertRedemption(tx: Queryable, use: CodeUse): Promise<boolean> {
  const { codeId, userId, orderId, batch: of } = use;
  const rows = await tx.drizzle
    .insert(redemption)
    .values({ codeId, batchId: of.id, userId, orderId, isOncePerUser: of.isOncePerUser })
    .onConflictDoNothing()
    .returning({ id: redemption.id });
  return rows.length > 0;
}

export type CodeOrder = {
  readonly orderNo: string;
  readonly planCode: string;
  readonly userId: UserId;
  /** Null for the user's own account. */
  readonly organisationId: bigint | null;
  readonly at: Date;
};

/** Places an order on the terms of a batch, to be settled in the same transaction. Returns its id. */
export async function insertCodeOrder(tx: Queryable, of: CodeBatch, made: CodeOrder): Promise<bigint> {
  const { orderNo, planCode, userId, organisationId, at } = made;
  const [row] = await tx.drizzle
    .insert(order)
    .values({
      ...{ orderNo, planCode, userId, organisationId, createdAt: at, updatedAt: at, expiresAt: at },
      ...{ planName: of.name, planKind: of.planKind, quota: of.quota, groupName: of.groupName },
      ...{ amountUsd: "0.00" as Decimal, payChannel: "code" },
    })
    .returning({ id: order.id });
  if (row === undefined) {
    throw new Error("the order of a code was not inserted");
  }
  return row.id;
}
