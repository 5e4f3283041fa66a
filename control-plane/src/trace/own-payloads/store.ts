import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { OwnAccessView } from "@sluice/contracts/own-payloads";
import { and, desc, eq, gt, inArray, lt } from "drizzle-orm";
import { ago, now } from "../../db/expressions.ts";
import { userProfile } from "../../db/schema/accounts.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import { ownPayloadAccess as access, ownPayloadReading as reading, traceRecord } from "../../db/schema/trace.ts";
import type { Queryable } from "../../platform/db.ts";

/** Whose calls a user may read: those of an account; within an organisation, those of one member if that is all. */
export type OwnPlace = {
  readonly gatewayUserId: GatewayUserId;
  readonly onlyMemberId: bigint | null;
};

export type OwnReading = { readonly since: Date; readonly byMembers: boolean };

export async function findReading(db: Queryable, id: GatewayUserId): Promise<OwnReading | null> {
  const [row] = await db.drizzle.select(ofReading).from(reading).where(eq(reading.gatewayUserId, id));
  return row ?? null;
}

/** The same, locked: it is not switched off meanwhile, and readers of the account come one after the other. */
export async function lockReading(tx: Queryable, id: GatewayUserId): Promise<OwnReading | null> {
  const [row] = await tx.drizzle.select(ofReading).from(reading).where(eq(reading.gatewayUserId, id)).for("update");
  return row ?? null;
}

const ofReading = { since: reading.since, byMembers: reading.byMembers };

/** Switches it on from now, or changes who reads without another beginning. */
export async function saveReading(tx: Queryable, id: GatewayUserId, byMembers: boolean): Promise<void> {
  await tx.drizzle
    .insert(reading)
    .values({ gatewayUserId: id, since: now, byMembers })
    .onConflictDoUpdate({ target: reading.gatewayUserId, set: { byMembers } });
}

export async function deleteReading(tx: Queryable, id: GatewayUserId): Promise<void> {
  await tx.drizzle.delete(reading).where(eq(reading.gatewayUserId, id));
}

/** When a call began that may be read, or null for one that does not exist or is somebody else's. */
export async function findOwnCall(
  db: Queryable,
  { gatewayUserId, onlyMemberId }: OwnPlace,
  { requestId, days }: { readonly requestId: string; readonly days: readonly string[] },
): Promise<{ readonly startedAt: Date } | null> {
  const [row] = await db.drizzle
    .select({ startedAt: traceRecord.startedAt })
    .from(traceRecord)
    .leftJoin(apiKey, eq(apiKey.id, traceRecord.apiKeyId))
    .where(
      and(
        inArray(traceRecord.day, [...days]),
        eq(traceRecord.requestId, requestId),
        eq(traceRecord.gatewayUserId, gatewayUserId),
        onlyMemberId === null ? undefined : eq(apiKey.memberId, onlyMemberId),
      ),
    );
  return row ?? null;
}

/** When a person read the n-th last payload of the account within the last hour; null if there were fewer. */
export async function findReadBefore(
  tx: Queryable,
  { userId, gatewayUserId }: { readonly userId: UserId; readonly gatewayUserId: GatewayUserId },
  count: number,
): Promise<Date | null> {
  const [row] = await tx.drizzle
    .select({ at: access.at })
    .from(access)
    .where(and(eq(access.userId, userId), eq(access.gatewayUserId, gatewayUserId), gt(access.at, ago(1, "hours"))))
    .orderBy(desc(access.id))
    .offset(count - 1)
    .limit(1);
  return row?.at ?? null;
}

export async function insertOwnAccess(
  tx: Queryable,
  made: Omit<typeof access.$inferInsert, "id" | "at">,
): Promise<bigint> {
  const [row] = await tx.drizzle.insert(access).values(made).returning({ number: access.id });
  if (row === undefined) {
    throw new Error("the access was not written down");
  }
  return row.number;
}

export type OwnAccessFilter = {
  readonly gatewayUserId: GatewayUserId | null;
  readonly userId: bigint | null;
  readonly requestId: string | null;
  /** Selects only accesses with a smaller number. */
  readonly before: bigint | null;
};

/** Accesses, newest first. */
export async function listOwnAccesses(db: Queryable, filter: OwnAccessFilter, limit: number): Promise<OwnAccessView[]> {
  const { gatewayUserId, userId, requestId, before } = filter;
  return await db.drizzle
    .select({
      number: access.id,
      at: access.at,
      user_id: access.userId,
      email: userProfile.email,
      token_name: access.tokenName,
      gateway_user_id: access.gatewayUserId,
      request_id: access.requestId,
      day: access.day,
      ip: access.ip,
    })
    .from(access)
    .innerJoin(userProfile, eq(userProfile.id, access.userId))
    .where(
      and(
        gatewayUserId === null ? undefined : eq(access.gatewayUserId, gatewayUserId),
        userId === null ? undefined : eq(access.userId, userId),
        requestId === null ? undefined : eq(access.requestId, requestId),
        before === null ? undefined : lt(access.id, before),
      ),
    )
    .orderBy(desc(access.id))
    .limit(limit);
}
