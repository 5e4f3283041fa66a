import type { UserId } from "@sluice/contracts/ids";
import { and, asc, count, eq, exists, isNull } from "drizzle-orm";
import { isSet, now } from "../../db/expressions.ts";
import { userProfile as profile, session } from "../../db/schema/accounts.ts";
import { userIdentity as identity, signInProvider as provider } from "../../db/schema/sign-in.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { LoginProfile } from "../store.ts";
import type { Identity } from "./model.ts";

const isThis = ({ issuer, subject }: Identity) => and(eq(identity.issuer, issuer), eq(identity.subject, subject));

/** The user who has linked this account at an issuer. */
export async function findUserOfIdentity(db: Queryable, of: Identity): Promise<LoginProfile | null> {
  const [row] = await db.drizzle
    .select({
      userId: profile.id,
      email: profile.email,
      status: profile.status,
      passwordHash: profile.passwordHash,
      locale: profile.locale,
      hasCode: isSet(profile.totpEnabledAt),
    })
    .from(identity)
    .innerJoin(profile, eq(profile.id, identity.userId))
    .where(isThis(of));
  return (row ?? null) as LoginProfile | null;
}

/**
 * Records the use of an identity, if it still belongs to this user, who is still active and needs no code that was not
 * asked for. Holds the user's row, as a login with a password does.
 */
export async function holdIdentity(
  tx: Queryable,
  of: Identity,
  by: { readonly userId: UserId; readonly hasCode: boolean; readonly email: string | null },
): Promise<boolean> {
  if (!(await holdActive(tx, by))) {
    return false;
  }
  const written = await tx.drizzle
    .update(identity)
    .set({ lastUsedAt: now, email: by.email })
    .where(and(isThis(of), eq(identity.userId, by.userId)));
  return rowsWritten(written) > 0;
}

/** Whether the user is still active and needs no code that was not asked for; holds the row. */
export async function holdActive(
  tx: Queryable,
  { userId, hasCode }: { readonly userId: UserId; readonly hasCode: boolean },
): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(
      and(eq(profile.id, userId), eq(profile.status, "active"), hasCode ? undefined : isNull(profile.totpEnabledAt)),
    )
    .for("update");
  return rows.length > 0;
}

/** Links an identity. False if it is linked already, to whomever. */
export async function insertIdentity(
  tx: Queryable,
  userId: UserId,
  { issuer, subject, email }: Identity & { readonly email: string | null },
): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(identity)
    .values({ userId, issuer, subject, email, lastUsedAt: now })
    .onConflictDoNothing()
    .returning({ id: identity.id });
  return rows.length > 0;
}

export type LinkedIdentity = {
  readonly id: bigint;
  readonly issuer: string;
  readonly email: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

export async function selectIdentities(db: Queryable, userId: UserId): Promise<LinkedIdentity[]> {
  return await db.drizzle
    .select({
      id: identity.id,
      issuer: identity.issuer,
      email: identity.email,
      createdAt: identity.createdAt,
      lastUsedAt: identity.lastUsedAt,
    })
    .from(identity)
    .where(eq(identity.userId, userId))
    .orderBy(asc(identity.id));
}

export async function countIdentities(db: Queryable, userId: UserId): Promise<number> {
  const [row] = await db.drizzle.select({ links: count() }).from(identity).where(eq(identity.userId, userId));
  return row?.links ?? 0;
}

/** How many identities of a user can be used now: an issuer without a provider that is switched on opens nothing. */
export async function countUsableIdentities(db: Queryable, userId: UserId): Promise<number> {
  const offered = db.drizzle
    .select({ issuer: provider.issuer })
    .from(provider)
    .where(and(eq(provider.issuer, identity.issuer), eq(provider.isEnabled, true)));
  const [row] = await db.drizzle
    .select({ links: count() })
    .from(identity)
    .where(and(eq(identity.userId, userId), exists(offered)));
  return row?.links ?? 0;
}

/** The issuer of the removed identity; null for one that is not the user's. */
export async function deleteIdentity(db: Queryable, userId: UserId, id: bigint): Promise<string | null> {
  const [row] = await db.drizzle
    .delete(identity)
    .where(and(eq(identity.id, id), eq(identity.userId, userId)))
    .returning({ issuer: identity.issuer });
  return row?.issuer ?? null;
}

/** Removes all links of a user; returns their issuers. */
export async function deleteIdentities(tx: Queryable, userId: UserId): Promise<string[]> {
  const rows = await tx.drizzle
    .delete(identity)
    .where(eq(identity.userId, userId))
    .returning({ issuer: identity.issuer });
  return rows.map(({ issuer }) => issuer);
}

/** When the session's login was. */
export async function findLoginTime(db: Queryable, sessionId: bigint): Promise<Date | null> {
  const [row] = await db.drizzle
    .select({ createdAt: session.createdAt })
    .from(session)
    .where(and(eq(session.id, sessionId), isNull(session.revokedAt)));
  return row?.createdAt ?? null;
}
