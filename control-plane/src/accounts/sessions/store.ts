import type { UserId } from "@sluice/contracts/ids";
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
  how: LoginOrigin & { readonly lifeSeconds: number; readonly continuedId: bigint | null },
): Promise<bigint> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into session (token_hash, user_id, admin_id, ip, user_agent, created_at, expires_at)
    values (${tokenHash}, ${owner.userId}::bigint, ${owner.adminId}::bigint, ${how.ip}, ${how.userAgent},
      coalesce((select created_at from session where id = ${how.continuedId}::bigint), now()),
      now() + make_interval(secs => ${how.lifeSeconds}::int))
    returning id`;
  if (row === undefined) {
    throw new Error("the session was not inserted");
  }
  return row.id;
}

/** The user logged in with this token, if session and user are still valid; and whether `seen_at` needs an update. */
export async function findUserBySession(
  db: Queryable,
  tokenHash: Uint8Array,
  { idleSeconds }: SessionRules,
): Promise<{ readonly caller: UserCaller; readonly isSeenLongAgo: boolean } | null> {
  const [row] = await db.sql<{
    id: bigint;
    user_id: bigint;
    gateway_user_id: bigint;
    email: string;
    locale: string;
    is_old: boolean;
  }>`
    select s.id, p.id as user_id, p.gateway_user_id, p.email, p.locale, s.seen_at < now() - interval '1 minute' as is_old
    from session s join user_profile p on p.id = s.user_id
    where s.token_hash = ${tokenHash} and s.revoked_at is null and s.expires_at > now()
      and s.seen_at > now() - make_interval(secs => ${idleSeconds}::int) and p.status = 'active'`;
  if (row === undefined) {
    return null;
  }
  const { id, user_id, gateway_user_id, email, locale, is_old } = row;
  const caller = { sessionId: id, userId: user_id, gatewayUserId: gateway_user_id, email, locale };
  return { caller: caller as UserCaller, isSeenLongAgo: is_old };
}

/** The same for an admin, who must still be one. */
export async function findAdminBySession(
  db: Queryable,
  tokenHash: Uint8Array,
  { idleSeconds, freshLoginMinutes, isSecondFactorRequired }: SessionRules & AdminRules,
): Promise<{ readonly caller: AdminCaller; readonly isSeenLongAgo: boolean } | null> {
  const [row] = await db.sql<{
    id: bigint;
    admin_id: bigint;
    username: string;
    agent: number;
    has_code: boolean;
    is_fresh: boolean;
    is_old: boolean;
  }>`
    select s.id, a.id as admin_id, a.username, a.agent, a.totp_enabled_at is not null as has_code,
      s.created_at > now() - make_interval(mins => ${freshLoginMinutes}::int) as is_fresh,
      s.seen_at < now() - interval '1 minute' as is_old
    from session s join shared_admin_credentials a on a.id = s.admin_id
    where s.token_hash = ${tokenHash} and s.revoked_at is null and s.expires_at > now()
      and s.seen_at > now() - make_interval(secs => ${idleSeconds}::int) and a.agent > 0`;
  if (row === undefined) {
    return null;
  }
  const caller = {
    sessionId: row.id,
    adminId: row.admin_id,
    username: row.username,
    isSuper: row.agent >= 2,
    isFresh: row.is_fresh,
    lacksSecondFactor: isSecondFactorRequired && !row.has_code,
  };
  return { caller, isSeenLongAgo: row.is_old };
}

/** Updating once a minute is enough to know how long a session has been idle. */
export async function markSessionSeen(db: Queryable, id: bigint): Promise<void> {
  await db.sql`
    update session set seen_at = now() where id = ${id}::bigint and seen_at < now() - interval '1 minute'`;
}

/** Ends the session with this token, if it is of this kind. */
export async function revokeSessionByToken(
  db: Queryable,
  tokenHash: Uint8Array,
  kind: "user" | "admin",
): Promise<void> {
  await db.sql`
    update session set revoked_at = now() where token_hash = ${tokenHash} and revoked_at is null
      and (case ${kind} when 'user' then user_id else admin_id end) is not null`;
}

/** Ends one session of its owner. Returns whether the session existed. */
export async function revokeSession(db: Queryable, id: bigint, owner: SessionOwner): Promise<boolean> {
  const written = await db.sql`
    update session set revoked_at = now() where id = ${id}::bigint and revoked_at is null
      and (user_id = ${owner.userId}::bigint or admin_id = ${owner.adminId}::bigint)`;
  return rowsWritten(written) > 0;
}

/** Ends all sessions of an owner except the spared one. Returns how many there were. */
export async function revokeSessionsOf(db: Queryable, owner: SessionOwner, sparedId: bigint | null): Promise<number> {
  const written = await db.sql`
    update session set revoked_at = now() where revoked_at is null
      and (user_id = ${owner.userId}::bigint or admin_id = ${owner.adminId}::bigint)
      and id is distinct from ${sparedId}::bigint`;
  return rowsWritten(written);
}

/** An owner's valid sessions, newest first. */
export async function listSessionsOf(
  db: Queryable,
  owner: SessionOwner,
  { idleSeconds }: SessionRules,
): Promise<SessionSummary[]> {
  const rows = await db.sql<{
    id: bigint;
    ip: string;
    user_agent: string;
    created_at: Date;
    seen_at: Date;
    expires_at: Date;
  }>`
    select id, ip, user_agent, created_at, seen_at, expires_at from session
    where (user_id = ${owner.userId}::bigint or admin_id = ${owner.adminId}::bigint) and revoked_at is null
      and expires_at > now() and seen_at > now() - make_interval(secs => ${idleSeconds}::int)
    order by id desc limit 200`;
  return rows.map(({ id, ip, user_agent, created_at, seen_at, expires_at }) => ({
    id,
    ip,
    user_agent,
    created_at: created_at.toISOString(),
    seen_at: seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
}

/** Removes sessions that ended some time ago. */
export async function deleteEndedSessions(db: Queryable): Promise<void> {
  await db.sql`
    delete from session where expires_at < now() - interval '30 days' or revoked_at < now() - interval '30 days'`;
}

export const ofUser = (userId: UserId | bigint): SessionOwner => ({ userId, adminId: null });
export const ofAdmin = (adminId: bigint): SessionOwner => ({ userId: null, adminId });
