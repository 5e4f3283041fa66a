import { roleOfRecord } from "@sluice/contracts/admin-roles";
import type { TokenView } from "@sluice/contracts/management-tokens";
import { and, count, desc, eq, gt, gte, isNull, lt, or, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/pg-core";
import { ago, fromNow, isSet, now } from "../../db/expressions.ts";
import { userProfile as profile, managementToken as token } from "../../db/schema/accounts.ts";
import { sharedAdminCredentials as credentials } from "../../db/schema/admins.ts";
import { organisation } from "../../db/schema/organisations.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { AdminCaller, TokenCaller, UserCaller } from "../../platform/endpoint/model.ts";
import type { AdminRules } from "../sessions/model.ts";
import type { SessionOwner } from "../sessions/store.ts";

export type NewToken = {
  readonly tokenHash: Uint8Array;
  readonly hint: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
  readonly organisationId?: bigint | undefined;
};

const belongsTo = ({ userId, adminId }: SessionOwner) =>
  userId === null ? eq(token.adminId, adminId) : eq(token.userId, userId);

const isLive = and(isNull(token.revokedAt), gt(token.expiresAt, now));

const isSeenLongAgo = sql<boolean>`coalesce(${token.lastUsedAt} < now() - interval '1 minute', true)`;

const nameOfOrganisation = new QueryBuilder()
  .select({ name: organisation.name })
  .from(organisation)
  .where(eq(organisation.id, token.organisationId));

const view = {
  token_id: token.id,
  name: token.name,
  hint: token.hint,
  scopes: token.scopes,
  organisation: sql<string | null>`(${nameOfOrganisation})`,
  status: sql<TokenView["status"]>`case when ${token.revokedAt} is not null then 'revoked'
    when ${token.expiresAt} <= now() then 'expired' else 'active' end`,
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  last_used_at: token.lastUsedAt,
  last_used_ip: token.lastUsedIp,
};

/**
 * Locks a user who is active and has this password, or none, so that what ends the user's access comes before or after.
 * @returns whether such a user exists
 */
export async function lockUserOwner(tx: Queryable, userId: bigint, passwordHash: string | null): Promise<boolean> {
  const hasPassword = passwordHash === null ? isNull(profile.passwordHash) : eq(profile.passwordHash, passwordHash);
  const rows = await tx.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(and(eq(profile.id, userId), eq(profile.status, "active"), hasPassword))
    .for("update");
  return rows.length > 0;
}

/** The same for an admin, at least with these rights. */
export async function lockAdminOwner(tx: Queryable, adminId: bigint, agentMin: number): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.id, adminId), gte(credentials.agent, agentMin)))
    .for("update");
  return rows.length > 0;
}

export async function insertToken(
  tx: Queryable,
  { userId, adminId }: SessionOwner,
  { days, scopes, ...row }: NewToken,
): Promise<TokenView> {
  const [made] = await tx.drizzle
    .insert(token)
    .values({ ...row, scopes: [...scopes], userId, adminId, expiresAt: fromNow(days, "days") })
    .returning(view);
  if (made === undefined) {
    throw new Error("the access token was not inserted");
  }
  return made;
}

/**
 * The tokens of an owner, newest first: the live ones, and those that ended lately.
 * @param organisationId null for all of them, or an organisation for those that are for it
 */
export async function selectTokens(
  db: Queryable,
  owner: SessionOwner,
  { limit, organisationId }: { readonly limit: number; readonly organisationId: bigint | null },
): Promise<TokenView[]> {
  return await db.drizzle
    .select(view)
    .from(token)
    .where(and(belongsTo(owner), organisationId === null ? undefined : eq(token.organisationId, organisationId)))
    .orderBy(desc(token.id))
    .limit(limit);
}

export async function countLiveTokens(tx: Queryable, owner: SessionOwner): Promise<number> {
  const [row] = await tx.drizzle
    .select({ live: count() })
    .from(token)
    .where(and(belongsTo(owner), isLive));
  return row?.live ?? 0;
}

/** Revokes a token of its owner. Null for one that is not the owner's; revoking again changes nothing. */
export async function revokeToken(tx: Queryable, owner: SessionOwner, id: bigint): Promise<TokenView | null> {
  const [row] = await tx.drizzle
    .update(token)
    .set({ revokedAt: sql`coalesce(${token.revokedAt}, now())` })
    .where(and(eq(token.id, id), belongsTo(owner)))
    .returning(view);
  return row ?? null;
}

/** Revokes all live tokens of an owner. Returns how many there were. */
export async function revokeTokensOf(tx: Queryable, owner: SessionOwner): Promise<number> {
  const written = await tx.drizzle
    .update(token)
    .set({ revokedAt: now })
    .where(and(isLive, belongsTo(owner)));
  return rowsWritten(written);
}

const tokenFields = { id: token.id, name: token.name, scopes: token.scopes, isSeenLongAgo };

type Found<Kind extends "user" | "admin"> = TokenCaller<Kind> & {
  readonly id: bigint;
  readonly isSeenLongAgo: boolean;
};

/** The user whose token this is, if both are valid now. */
export async function findUserByToken(db: Queryable, tokenHash: Uint8Array): Promise<Found<"user"> | null> {
  const [row] = await db.drizzle
    .select({
      ...tokenFields,
      tokenOrganisationId: token.organisationId,
      userId: profile.id,
      gatewayUserId: profile.gatewayUserId,
      email: profile.email,
      locale: profile.locale,
    })
    .from(token)
    .innerJoin(profile, eq(profile.id, token.userId))
    .where(and(eq(token.tokenHash, tokenHash), isLive, eq(profile.status, "active")));
  if (row === undefined) {
    return null;
  }
  const { id, name, scopes, isSeenLongAgo: isLongAgo, ...user } = row;
  const caller = { ...user, sessionId: null, tokenName: nameOf(id, name) } as UserCaller;
  return { id, scopes, isSeenLongAgo: isLongAgo, caller };
}

/** The admin whose token this is, if both are valid now, with the rights of this moment. */
export async function findAdminByToken(
  db: Queryable,
  tokenHash: Uint8Array,
  rules: AdminRules,
): Promise<Found<"admin"> | null> {
  const [row] = await db.drizzle
    .select({
      ...tokenFields,
      adminId: credentials.id,
      username: credentials.username,
      agent: credentials.agent,
      role: credentials.role,
      hasCode: isSet(credentials.totpEnabledAt),
    })
    .from(token)
    .innerJoin(credentials, eq(credentials.id, token.adminId))
    .where(and(eq(token.tokenHash, tokenHash), isLive, gt(credentials.agent, 0)));
  if (row === undefined) {
    return null;
  }
  const { id, name, scopes } = row;
  const caller: AdminCaller = {
    sessionId: null,
    tokenName: nameOf(id, name),
    adminId: row.adminId,
    username: row.username,
    role: roleOfRecord(row),
    locale: null,
    isSuper: row.agent >= 2,
    isFresh: scopes.includes("sensitive"),
    lacksSecondFactor: rules.isSecondFactorRequired && !row.hasCode,
  };
  return { id, scopes, isSeenLongAgo: row.isSeenLongAgo, caller };
}

/** As the audit log shows it: two tokens may have the same name. */
const nameOf = (id: bigint, name: string): string => `${name} (#${id})`;

/** Records the use of a token, once a minute. */
export async function markTokenUsed(db: Queryable, id: bigint, ip: string): Promise<void> {
  await db.drizzle
    .update(token)
    .set({ lastUsedAt: now, lastUsedIp: ip })
    .where(and(eq(token.id, id), isSeenLongAgo));
}

/** Removes tokens that ended some time ago. */
export async function deleteEndedTokens(db: Queryable): Promise<void> {
  const longAgo = ago(90, "days");
  await db.drizzle.delete(token).where(or(lt(token.expiresAt, longAgo), lt(token.revokedAt, longAgo)));
}
