import { roleOfRecord } from "@sluice/contracts/admin-roles";
import type { UserId } from "@sluice/contracts/ids";
import type { LoginMethod } from "@sluice/contracts/login-methods";
import { and, desc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { ago, fromNow, isSet, now } from "../../db/expressions.ts";
import { userProfile as profile, session } from "../../db/schema/accounts.ts";
import { sharedAdminCredentials as credentials } from "../../db/schema/admins.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { AdminCaller, UserCaller } from "../../platform/endpoint/model.ts";
import type { AdminRules, LoginOrigin, SessionRules, SessionSummary } from "./model.ts";

/** The owner of the sessions: exactly one of the two. */
export type SessionOwner =
  | { readonly userId: bigint; readonly adminId: null }
  | { readonly userId: null; readonly adminId: bigint };

export async function insertSession(
  db: Queryable,
  tokenHash: Uint8Array,
  owner: SessionOwner,
  how: LoginOrigin & {
    readonly method: LoginMethod;
    readonly lifeSeconds: number;
    readonly continuedId: bigint | null;
  },
): Promise<bigint> {
  const continued = db.drizzle
    .select({ createdAt: session.createdAt })
    .from(session)
    .where(eq(session.id, how.continuedId ?? 0n));
  const [row] = await db.drizzle
    .insert(session)
    .values({
      tokenHash,
      userId: owner.userId,
      adminId: owner.adminId,
      ip: how.ip,
      userAgent: how.userAgent,
      loginMethod: how.method,
      createdAt: sql`coalesce((${continued}), now())`,
      expiresAt: fromNow(how.lifeSeconds, "seconds"),
    })
    .returning({ id: session.id });
  if (row === undefined) {
    throw new Error("the session was not inserted");
  }
  return row.id;
}

const isSeenLongAgo = sql<boolean>`${session.seenAt} < now() - interval '1 minute'`;

/** Selects sessions that were not ended, have not expired and were used recently. */
const isGood = ({ idleSeconds }: Pick<SessionRules, "idleSeconds">) =>
  and(isNull(session.revokedAt), gt(session.expiresAt, now), gt(session.seenAt, ago(idleSeconds, "seconds")));

const belongsTo = ({ userId, adminId }: SessionOwner) =>
  userId === null ? eq(session.adminId, adminId) : eq(session.userId, userId);

/** The user logged in with this token, if session and user are still valid; and whether `seen_at` needs an update. */
export async function findUserBySession(
  db: Queryable,
  tokenHash: Uint8Array,
  rules: SessionRules,
): Promise<{ readonly caller: UserCaller; readonly isSeenLongAgo: boolean } | null> {
  const [row] = await db.drizzle
    .select({
      caller: {
        sessionId: session.id,
        userId: profile.id,
        gatewayUserId: profile.gatewayUserId,
        email: profile.email,
        locale: profile.locale,
      },
      isSeenLongAgo,
    })
    .from(session)
    .innerJoin(profile, eq(profile.id, session.userId))
    .where(and(eq(session.tokenHash, tokenHash), isGood(rules), eq(profile.status, "active")));
  return (row ?? null) as { caller: UserCaller; isSeenLongAgo: boolean } | null;
}

/**
 * The admin logged in with this token, if the session is still valid and the person is still an admin; and whether
 * `seen_at` needs an update.
 */
export async function findAdminBySession(
  db: Queryable,
  tokenHash: Uint8Array,
  rules: SessionRules & AdminRules,
): Promise<{ readonly caller: AdminCaller; readonly isSeenLongAgo: boolean } | null> {
  const [row] = await db.drizzle
    .select({
      sessionId: session.id,
      adminId: credentials.id,
      username: credentials.username,
      agent: credentials.agent,
      role: credentials.role,
      locale: credentials.locale,
      hasCode: isSet(credentials.totpEnabledAt),
      isFresh: sql<boolean>`${session.createdAt} > ${ago(rules.freshLoginMinutes, "minutes")}`,
      isSeenLongAgo,
    })
    .from(session)
    .innerJoin(credentials, eq(credentials.id, session.adminId))
    .where(and(eq(session.tokenHash, tokenHash), isGood(rules), gt(credentials.agent, 0)));
  if (row === undefined) {
    return null;
  }
  const caller = {
    sessionId: row.sessionId,
    adminId: row.adminId,
    username: row.username,
    role: roleOfRecord(row),
    locale: row.locale,
    isSuper: row.agent >= 2,
    isFresh: row.isFresh,
    lacksSecondFactor: rules.isSecondFactorRequired && !row.hasCode,
  };
  return { caller, isSeenLongAgo: row.isSeenLongAgo };
}

/** Records the use of a session, once a minute: that is exact enough to know how long it has been idle. */
export async function markSessionSeen(db: Queryable, id: bigint): Promise<void> {
  await db.drizzle
    .update(session)
    .set({ seenAt: now })
    .where(and(eq(session.id, id), isSeenLongAgo));
}

/** Ends the session with this token, if it is of this kind. */
export async function revokeSessionByToken(
  db: Queryable,
  tokenHash: Uint8Array,
  kind: "user" | "admin",
): Promise<void> {
  const owner = { user: session.userId, admin: session.adminId }[kind];
  await db.drizzle
    .update(session)
    .set({ revokedAt: now })
    .where(and(eq(session.tokenHash, tokenHash), isNull(session.revokedAt), isNotNull(owner)));
}

/** Ends one session of its owner. Returns whether the session existed. */
export async function revokeSession(db: Queryable, id: bigint, owner: SessionOwner): Promise<boolean> {
  const written = await db.drizzle
    .update(session)
    .set({ revokedAt: now })
    .where(and(eq(session.id, id), isNull(session.revokedAt), belongsTo(owner)));
  return rowsWritten(written) > 0;
}

/** Ends all sessions of an owner except the spared one. Returns how many there were. */
export async function revokeSessionsOf(db: Queryable, owner: SessionOwner, keptId: bigint | null): Promise<number> {
  const written = await db.drizzle
    .update(session)
    .set({ revokedAt: now })
    .where(and(isNull(session.revokedAt), belongsTo(owner), keptId === null ? undefined : ne(session.id, keptId)));
  return rowsWritten(written);
}

/** An owner's valid sessions, newest first. */
export async function listSessionsOf(
  db: Queryable,
  owner: SessionOwner,
  rules: SessionRules,
): Promise<SessionSummary[]> {
  const rows = await db.drizzle
    .select({
      id: session.id,
      ip: session.ip,
      user_agent: session.userAgent,
      method: session.loginMethod,
      created_at: session.createdAt,
      seen_at: session.seenAt,
      expires_at: session.expiresAt,
    })
    .from(session)
    .where(and(belongsTo(owner), isGood(rules)))
    .orderBy(desc(session.id))
    .limit(200);
  return rows.map(({ created_at, seen_at, expires_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    seen_at: seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
}

/** Removes sessions that ended some time ago. */
export async function deleteEndedSessions(db: Queryable): Promise<void> {
  const longAgo = ago(30, "days");
  await db.drizzle.delete(session).where(or(lt(session.expiresAt, longAgo), lt(session.revokedAt, longAgo)));
}

export const ofUser = (userId: UserId | bigint): SessionOwner => ({ userId, adminId: null });
export const ofAdmin = (adminId: bigint): SessionOwner => ({ userId: null, adminId });
