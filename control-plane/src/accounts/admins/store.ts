import type { AdminEntry } from "@sluice/contracts/accounts";
import type { StoredRole } from "@sluice/contracts/admin-roles";
import type { AdminLocale } from "@sluice/contracts/locales";
import { and, asc, desc, eq, gt, gte, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { ago, equalsInAnyCase, isSet, now } from "../../db/expressions.ts";
import { session } from "../../db/schema/accounts.ts";
import { sharedAdminCredentials as credentials, supportProfile } from "../../db/schema/admins.ts";
import type { Queryable } from "../../platform/db.ts";
import { sessionRules } from "../sessions/model.ts";

export type AdminCredentials = {
  readonly id: bigint;
  readonly username: string;
  readonly passwordHash: string;
  /** 0 for nobody, 1 for an admin, 2 for a super-admin. */
  readonly agent: number;
  readonly hasCode: boolean;
};

const login = {
  id: credentials.id,
  username: credentials.username,
  passwordHash: credentials.passwordHash,
  agent: credentials.agent,
  hasCode: isSet(credentials.totpEnabledAt),
};

/**
 * The credentials that a login name belongs to: it is looked up as a username, then as an email, then as a mobile
 * number. A user whose username is another person's email can't be mistaken for that person.
 */
export async function findAdminByLogin(db: Queryable, name: string): Promise<AdminCredentials | null> {
  const isUsername = equalsInAnyCase(credentials.username, name);
  const isEmail = equalsInAnyCase(credentials.email, name);
  const [row] = await db.drizzle
    .select(login)
    .from(credentials)
    .where(or(isUsername, isEmail, eq(credentials.mobile, name)))
    .orderBy(desc(isUsername), sql`${isEmail} desc nulls last`, asc(credentials.id))
    .limit(1);
  return row ?? null;
}

export async function findAdminById(db: Queryable, id: bigint): Promise<AdminCredentials | null> {
  const [row] = await db.drizzle.select(login).from(credentials).where(eq(credentials.id, id));
  return row ?? null;
}

/** Whether this is still the admin's password; the row stays locked until the end of the transaction. */
export async function holdAdmin(db: Queryable, { id, passwordHash, hasCode }: AdminCredentials): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: credentials.id })
    .from(credentials)
    .where(
      and(
        eq(credentials.id, id),
        eq(credentials.passwordHash, passwordHash),
        gt(credentials.agent, 0),
        hasCode ? undefined : isNull(credentials.totpEnabledAt),
      ),
    )
    .for("share");
  return rows.length > 0;
}

export async function setAdminLocale(db: Queryable, id: bigint, locale: AdminLocale): Promise<void> {
  await db.drizzle.update(credentials).set({ locale }).where(eq(credentials.id, id));
}

export async function setAdminPassword(db: Queryable, id: bigint, passwordHash: string): Promise<void> {
  await db.drizzle.update(credentials).set({ passwordHash, updatedAt: now }).where(eq(credentials.id, id));
}

/** Replaces an admin's password if the old one is still current. Returns whether it did. */
export async function replaceAdminPassword(
  db: Queryable,
  id: bigint,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const rows = await db.drizzle
    .update(credentials)
    .set({ passwordHash: newHash, updatedAt: now })
    .where(and(eq(credentials.id, id), eq(credentials.passwordHash, oldHash), gt(credentials.agent, 0)))
    .returning({ id: credentials.id });
  return rows.length > 0;
}

export type NewAdmin = {
  readonly username: string;
  readonly email: string | null;
  readonly mobile: string | null;
  readonly passwordHash: string;
  readonly agent: number;
  readonly role: StoredRole;
};

/** Returns null when the username, email or mobile number is taken. */
export async function insertAdmin(db: Queryable, admin: NewAdmin): Promise<bigint | null> {
  const [row] = await db.drizzle
    .insert(credentials)
    .values({ ...admin })
    .onConflictDoNothing()
    .returning({ id: credentials.id });
  return row?.id ?? null;
}

export async function hasAdmin(db: Queryable): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: credentials.id })
    .from(credentials)
    .where(gt(credentials.agent, 0))
    .limit(1);
  return rows.length > 0;
}

/** The profile that users see for this admin; created if missing. */
export async function touchSupportProfile(db: Queryable, adminId: bigint, displayName: string): Promise<void> {
  await db.drizzle
    .insert(supportProfile)
    .values({ adminId, displayName, lastLoginAt: now })
    .onConflictDoUpdate({ target: supportProfile.adminId, set: { lastLoginAt: now, updatedAt: now } });
}

/** Lists this person among the admins from now on, even without a login or rights. */
export async function insertSupportProfile(db: Queryable, adminId: bigint, displayName: string): Promise<void> {
  await db.drizzle.insert(supportProfile).values({ adminId, displayName });
}

const adminsMax = 1_000;

/** Selects the admins with the number of their valid sessions. */
const selectEntries = (db: Queryable) => {
  const logins = db.drizzle
    .select({ count: sql`count(*)` })
    .from(session)
    .where(
      and(
        eq(session.adminId, credentials.id),
        isNull(session.revokedAt),
        gt(session.expiresAt, now),
        gt(session.seenAt, ago(sessionRules.admin.idleSeconds, "seconds")),
        gt(credentials.agent, 0),
      ),
    );
  return db.drizzle
    .select({
      admin_id: credentials.id,
      username: credentials.username,
      email: credentials.email,
      mobile: credentials.mobile,
      agent: credentials.agent,
      role: credentials.role,
      has_totp: isSet(credentials.totpEnabledAt),
      last_login_at: supportProfile.lastLoginAt,
      created_at: credentials.createdAt,
      updated_at: credentials.updatedAt,
      sessions: sql<bigint>`(${logins})`,
    })
    .from(credentials)
    .leftJoin(supportProfile, eq(supportProfile.adminId, credentials.id));
};

/** Admins, those with the most rights first. Rows that were never admins are users of other programs. */
export async function listAdmins(db: Queryable): Promise<AdminEntry[]> {
  return await selectEntries(db)
    .where(or(gt(credentials.agent, 0), isNotNull(supportProfile.id)))
    .orderBy(desc(credentials.agent), asc(credentials.id))
    .limit(adminsMax);
}

export async function findAdminEntry(db: Queryable, id: bigint): Promise<AdminEntry | null> {
  const [row] = await selectEntries(db).where(eq(credentials.id, id));
  return row ?? null;
}

/**
 * Locks every super-admin and one more person until the end of the transaction, always in the same order: the super-admins
 * first, as `holdSuperRights` does.
 */
export async function holdRights(tx: Queryable, id: bigint): Promise<{ id: bigint; agent: number }[]> {
  return await tx.drizzle
    .select({ id: credentials.id, agent: credentials.agent })
    .from(credentials)
    .where(or(gte(credentials.agent, 2), eq(credentials.id, id)))
    .orderBy(desc(gte(credentials.agent, 2)), asc(credentials.id))
    .for("update");
}

/**
 * Whether all of them are super-admins; locks every super-admin until the end of the transaction. What is decided may change
 * rights: two transactions that each held some of them, or held them shared, would then wait for each other.
 */
export async function holdSuperRights(tx: Queryable, ids: readonly bigint[]): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: credentials.id })
    .from(credentials)
    .where(gte(credentials.agent, 2))
    .orderBy(asc(credentials.id))
    .for("update");
  const holders = new Set(rows.map((row) => row.id));
  return ids.every((id) => holders.has(id));
}

export async function setRights(
  tx: Queryable,
  id: bigint,
  rights: { readonly agent: number; readonly role: StoredRole },
): Promise<void> {
  await tx.drizzle
    .update(credentials)
    .set({ ...rights, updatedAt: now })
    .where(eq(credentials.id, id));
}

/** The super-admins affected by another super-admin's request, if they can be reached by email. */
export async function listOtherSuperAdmins(db: Queryable, id: bigint): Promise<{ id: bigint; email: string }[]> {
  const rows = await db.drizzle
    .select({ id: credentials.id, email: credentials.email })
    .from(credentials)
    .where(and(gte(credentials.agent, 2), ne(credentials.id, id), isNotNull(credentials.email)))
    .orderBy(asc(credentials.id))
    .limit(adminsMax);
  return rows.flatMap(({ id: other, email }) => (email === null ? [] : [{ id: other, email }]));
}
