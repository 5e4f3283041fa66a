import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { and, eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { countOfRows, equalsInAnyCase, isSet, now } from "../db/expressions.ts";
import { userProfile as profile, recoveryCode } from "../db/schema/accounts.ts";
import { gatewayUser } from "../db/schema/gateway-keys.ts";
import type { Queryable } from "../platform/db.ts";
import type { Profile, UserStatus } from "./model.ts";

export async function findUserByEmail(
  db: Queryable,
  email: string,
): Promise<{ userId: UserId; gatewayUserId: GatewayUserId } | null> {
  const [row] = await db.drizzle
    .select({ userId: profile.id, gatewayUserId: profile.gatewayUserId })
    .from(profile)
    .where(equalsInAnyCase(profile.email, email));
  return (row ?? null) as { userId: UserId; gatewayUserId: GatewayUserId } | null;
}

export async function findEmailOfGatewayUser(db: Queryable, gatewayUserId: GatewayUserId): Promise<string | null> {
  const [row] = await db.drizzle
    .select({ email: profile.email })
    .from(profile)
    .where(eq(profile.gatewayUserId, gatewayUserId));
  return row?.email ?? null;
}

/** The business profile of a gateway user, verified from the start. */
export async function insertActiveProfile(
  db: Queryable,
  made: { gatewayUserId: GatewayUserId; email: string; displayName: string },
): Promise<UserId> {
  const [row] = await db.drizzle
    .insert(profile)
    .values({ ...made, userType: "internal", status: "active", emailVerifiedAt: now })
    .returning({ id: profile.id });
  if (row === undefined) {
    throw new Error("the profile was not inserted");
  }
  return row.id as UserId;
}

export type NewProfile = {
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly passwordHash: string;
  readonly displayName: string | null;
  readonly locale: string;
};

/** A profile whose address is not verified yet; null when the address is taken. */
export async function insertPendingProfile(db: Queryable, made: NewProfile): Promise<UserId | null> {
  const [row] = await db.drizzle
    .insert(profile)
    .values({ ...made })
    // The gateway user is new, so only the address can be taken.
    .onConflictDoNothing()
    .returning({ id: profile.id });
  return (row?.id ?? null) as UserId | null;
}

/** A profile without a password, whose address is verified already; null when the address is taken. */
export async function insertProvenProfile(
  db: Queryable,
  made: Omit<NewProfile, "passwordHash">,
): Promise<UserId | null> {
  const [row] = await db.drizzle
    .insert(profile)
    .values({ ...made, status: "active", emailVerifiedAt: now })
    .onConflictDoNothing()
    .returning({ id: profile.id });
  return (row?.id ?? null) as UserId | null;
}

/** The parts of a profile that a login checks. */
export type LoginProfile = {
  readonly userId: UserId;
  readonly email: string;
  readonly status: UserStatus;
  readonly passwordHash: string | null;
  readonly locale: string;
  readonly hasCode: boolean;
};

const login = {
  userId: profile.id,
  email: profile.email,
  status: profile.status,
  passwordHash: profile.passwordHash,
  locale: profile.locale,
  hasCode: isSet(profile.totpEnabledAt),
};

/** Whether the owner of an account has proved to read its mail. One that came from another gateway may be used before. */
export async function hasVerifiedAddress(db: Queryable, userId: UserId): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(and(eq(profile.id, userId), isNotNull(profile.emailVerifiedAt)));
  return rows.length > 0;
}

export async function findLoginByEmail(db: Queryable, email: string): Promise<LoginProfile | null> {
  const [row] = await db.drizzle.select(login).from(profile).where(equalsInAnyCase(profile.email, email));
  return (row ?? null) as LoginProfile | null;
}

/** By the address, or by the name that a user of another gateway brought along. */
export async function findLoginByAccount(db: Queryable, account: string): Promise<LoginProfile | null> {
  if (account.includes("@")) {
    return await findLoginByEmail(db, account);
  }
  const [row] = await db.drizzle.select(login).from(profile).where(equalsInAnyCase(profile.username, account));
  return (row ?? null) as LoginProfile | null;
}

export async function findLoginById(db: Queryable, userId: UserId): Promise<LoginProfile | null> {
  const [row] = await db.drizzle.select(login).from(profile).where(eq(profile.id, userId));
  return (row ?? null) as LoginProfile | null;
}

/**
 * Whether this is still the password of an active user, and codes have not become required meanwhile. The row is locked
 * until the end of the transaction, so that a reset, a suspension or a new authenticator comes either before the new
 * session, and prevents it, or after it, and ends it.
 */
export async function holdLogin(
  db: Queryable,
  { userId, passwordHash, hasCode }: Pick<LoginProfile, "userId" | "passwordHash" | "hasCode">,
): Promise<boolean> {
  if (passwordHash === null) {
    return false;
  }
  const rows = await db.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(
      and(
        eq(profile.id, userId),
        eq(profile.passwordHash, passwordHash),
        eq(profile.status, "active"),
        hasCode ? undefined : isNull(profile.totpEnabledAt),
      ),
    )
    .for("share");
  return rows.length > 0;
}

/**
 * Records that a user has proved to own the address. Users of another gateway are active before.
 * @returns whether nobody had verified it
 */
export async function activateProfile(db: Queryable, userId: UserId): Promise<boolean> {
  const isUnproved = or(
    eq(profile.status, "email_pending"),
    and(eq(profile.status, "active"), isNull(profile.emailVerifiedAt)),
  );
  const rows = await db.drizzle
    .update(profile)
    .set({ status: "active", emailVerifiedAt: now, updatedAt: now })
    .where(and(eq(profile.id, userId), isUnproved))
    .returning({ id: profile.id });
  return rows.length > 0;
}

export async function setPassword(db: Queryable, userId: UserId, passwordHash: string): Promise<void> {
  await db.drizzle.update(profile).set({ passwordHash, updatedAt: now }).where(eq(profile.id, userId));
}

/** Sets the password of a user who has none. Returns false when the user has one. */
export async function setFirstPassword(db: Queryable, userId: UserId, passwordHash: string): Promise<boolean> {
  const rows = await db.drizzle
    .update(profile)
    .set({ passwordHash, updatedAt: now })
    .where(and(eq(profile.id, userId), isNull(profile.passwordHash)))
    .returning({ id: profile.id });
  return rows.length > 0;
}

/** Replaces an active user's password if the old one is still current. Returns whether it did. */
export async function replacePassword(
  db: Queryable,
  userId: UserId,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const rows = await db.drizzle
    .update(profile)
    .set({ passwordHash: newHash, updatedAt: now })
    .where(and(eq(profile.id, userId), eq(profile.passwordHash, oldHash), eq(profile.status, "active")))
    .returning({ id: profile.id });
  return rows.length > 0;
}

/**
 * Stores the same password in a stronger form, if it is still current. The account counts as unchanged, so its time of the last
 * change stays.
 */
export async function strengthenPassword(
  db: Queryable,
  userId: UserId,
  oldHash: string,
  newHash: string,
): Promise<void> {
  await db.drizzle
    .update(profile)
    .set({ passwordHash: newHash })
    .where(and(eq(profile.id, userId), eq(profile.passwordHash, oldHash)));
}

/** Records when the verification email was sent, or why and when it failed; a null time means now. */
export async function setVerificationMail(
  db: Queryable,
  userId: UserId,
  outcome: { readonly at: Date | null; readonly error: string | null },
): Promise<void> {
  await db.drizzle
    .update(profile)
    .set({ verificationEmailSentAt: outcome.at ?? now, verificationEmailError: outcome.error })
    .where(eq(profile.id, userId));
}

export async function findProfile(db: Queryable, userId: UserId): Promise<Profile | null> {
  const codesLeft = db.drizzle
    .select({ codes: countOfRows })
    .from(recoveryCode)
    .where(and(eq(recoveryCode.userId, profile.id), isNull(recoveryCode.usedAt)));
  const [row] = await db.drizzle
    .select({
      userId: profile.id,
      gatewayUserId: profile.gatewayUserId,
      email: profile.email,
      displayName: profile.displayName,
      userType: profile.userType,
      status: profile.status,
      locale: profile.locale,
      rateMultiplier: gatewayUser.rateMultiplier,
      emailVerifiedAt: profile.emailVerifiedAt,
      verificationEmailSentAt: profile.verificationEmailSentAt,
      verificationEmailError: profile.verificationEmailError,
      hasPassword: isSet(profile.passwordHash),
      hasCode: isSet(profile.totpEnabledAt),
      recoveryCodesLeft: sql<number>`(${codesLeft})`,
      createdAt: profile.createdAt,
      updatedAt: profile.updatedAt,
    })
    .from(profile)
    .innerJoin(gatewayUser, eq(gatewayUser.id, profile.gatewayUserId))
    .where(eq(profile.id, userId));
  return (row ?? null) as Profile | null;
}

/** Locks the user against changes until the transaction ends. Returns whether the user exists. */
export async function lockProfile(db: Queryable, userId: UserId): Promise<boolean> {
  const rows = await db.drizzle.select({ id: profile.id }).from(profile).where(eq(profile.id, userId)).for("update");
  return rows.length > 0;
}

/** Writes the columns that an admin may change, under the row lock. A user who becomes active counts as verified. */
export async function updateProfile(
  db: Queryable,
  userId: UserId,
  to: Pick<Profile, "displayName" | "userType" | "status">,
): Promise<void> {
  const verified = to.status === "active" ? { emailVerifiedAt: sql`coalesce(${profile.emailVerifiedAt}, now())` } : {};
  await db.drizzle
    .update(profile)
    .set({ displayName: to.displayName, userType: to.userType, status: to.status, updatedAt: now, ...verified })
    .where(eq(profile.id, userId));
}

/** Writes the columns that users may change about themselves. */
export async function updateOwnProfile(
  db: Queryable,
  userId: UserId,
  to: Pick<Profile, "displayName" | "locale">,
): Promise<void> {
  await db.drizzle
    .update(profile)
    .set({ displayName: to.displayName, locale: to.locale, updatedAt: now })
    .where(eq(profile.id, userId));
}
