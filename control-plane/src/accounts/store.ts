import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable } from "../platform/db.ts";
import type { Profile, UserStatus, UserType } from "./model.ts";

export async function findUserByEmail(
  db: Queryable,
  email: string,
): Promise<{ userId: UserId; gatewayUserId: GatewayUserId } | null> {
  const [row] = await db.sql<{ id: bigint; gateway_user_id: bigint }>`
    select id, gateway_user_id from user_profile where lower(email) = lower(${email})`;
  return row === undefined ? null : { userId: row.id as UserId, gatewayUserId: row.gateway_user_id as GatewayUserId };
}

export async function findEmailOfGatewayUser(db: Queryable, gatewayUserId: GatewayUserId): Promise<string | null> {
  const [row] = await db.sql<{ email: string }>`
    select email from user_profile where gateway_user_id = ${gatewayUserId}::bigint`;
  return row?.email ?? null;
}

/** The business profile of a gateway user, verified from the start. */
export async function insertActiveProfile(
  db: Queryable,
  profile: { gatewayUserId: GatewayUserId; email: string; displayName: string },
): Promise<UserId> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into user_profile (gateway_user_id, email, display_name, user_type, status, email_verified_at)
    values (${profile.gatewayUserId}::bigint, ${profile.email}, ${profile.displayName}, 'internal', 'active', now())
    returning id`;
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
export async function insertPendingProfile(db: Queryable, profile: NewProfile): Promise<UserId | null> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into user_profile (gateway_user_id, email, password_hash, display_name, locale)
    values (${profile.gatewayUserId}::bigint, ${profile.email}, ${profile.passwordHash}, ${profile.displayName},
      ${profile.locale})
    on conflict (lower(email)) do nothing returning id`;
  return (row?.id ?? null) as UserId | null;
}

/** What a login checks. */
export type LoginProfile = {
  readonly userId: UserId;
  readonly email: string;
  readonly status: UserStatus;
  readonly passwordHash: string | null;
  readonly locale: string;
  readonly hasCode: boolean;
};

type LoginRow = {
  id: bigint;
  email: string;
  status: UserStatus;
  password_hash: string | null;
  locale: string;
  has_code: boolean;
};

const toLoginProfile = (row: LoginRow | undefined): LoginProfile | null =>
  row === undefined
    ? null
    : {
        userId: row.id as UserId,
        email: row.email,
        status: row.status,
        passwordHash: row.password_hash,
        locale: row.locale,
        hasCode: row.has_code,
      };

export async function findLoginByEmail(db: Queryable, email: string): Promise<LoginProfile | null> {
  const [row] = await db.sql<LoginRow>`
    select id, email, status, password_hash, locale, totp_enabled_at is not null as has_code
    from user_profile where lower(email) = lower(${email})`;
  return toLoginProfile(row);
}

export async function findLoginById(db: Queryable, userId: UserId): Promise<LoginProfile | null> {
  const [row] = await db.sql<LoginRow>`
    select id, email, status, password_hash, locale, totp_enabled_at is not null as has_code
    from user_profile where id = ${userId}::bigint`;
  return toLoginProfile(row);
}

/**
 * Whether this is still the password of an active user, and no code has become required since. The row is locked until
 * the end of the transaction, so that a reset, a suspension or a new authenticator comes either before the new session,
 * and prevents it, or after it, and ends it.
 */
export async function holdLogin(
  db: Queryable,
  { userId, passwordHash, hasCode }: Pick<LoginProfile, "userId" | "passwordHash" | "hasCode">,
): Promise<boolean> {
  const rows = await db.sql`
    select 1 from user_profile
    where id = ${userId}::bigint and password_hash = ${passwordHash} and status = 'active'
      and (totp_enabled_at is null or ${hasCode}) for share`;
  return rows.length > 0;
}

/** Returns whether the user was waiting for verification. */
export async function activateProfile(db: Queryable, userId: UserId): Promise<boolean> {
  const rows = await db.sql`
    update user_profile set status = 'active', email_verified_at = now(), updated_at = now()
    where id = ${userId}::bigint and status = 'email_pending' returning 1`;
  return rows.length > 0;
}

export async function setPassword(db: Queryable, userId: UserId, passwordHash: string): Promise<void> {
  await db.sql`
    update user_profile set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}::bigint`;
}

/** Returns false when one existed. */
export async function setFirstPassword(db: Queryable, userId: UserId, passwordHash: string): Promise<boolean> {
  const rows = await db.sql`
    update user_profile set password_hash = ${passwordHash}, updated_at = now()
    where id = ${userId}::bigint and password_hash is null returning 1`;
  return rows.length > 0;
}

/** Replaces an active user's password if the old one is still current. Returns whether it was. */
export async function replacePassword(
  db: Queryable,
  userId: UserId,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const rows = await db.sql`
    update user_profile set password_hash = ${newHash}, updated_at = now()
    where id = ${userId}::bigint and password_hash = ${oldHash} and status = 'active' returning 1`;
  return rows.length > 0;
}

/** The state of the verification email: when it was sent, or why and when it failed; a null time means now. */
export async function setVerificationMail(
  db: Queryable,
  userId: UserId,
  outcome: { readonly at: Date | null; readonly error: string | null },
): Promise<void> {
  await db.sql`
    update user_profile
    set verification_email_sent_at = coalesce(${outcome.at}::timestamptz, now()),
      verification_email_error = ${outcome.error}
    where id = ${userId}::bigint`;
}

type ProfileRow = {
  id: bigint;
  gateway_user_id: bigint;
  email: string;
  display_name: string | null;
  user_type: UserType;
  status: UserStatus;
  locale: string;
  rate_multiplier: string;
  email_verified_at: Date | null;
  verification_email_sent_at: Date | null;
  verification_email_error: string | null;
  has_code: boolean;
  recovery_codes_left: number;
  created_at: Date;
  updated_at: Date;
};

const toProfile = (row: ProfileRow): Profile => ({
  userId: row.id as UserId,
  gatewayUserId: row.gateway_user_id as GatewayUserId,
  email: row.email,
  displayName: row.display_name,
  userType: row.user_type,
  status: row.status,
  locale: row.locale,
  rateMultiplier: row.rate_multiplier as Decimal,
  emailVerifiedAt: row.email_verified_at,
  verificationEmailSentAt: row.verification_email_sent_at,
  verificationEmailError: row.verification_email_error,
  hasCode: row.has_code,
  recoveryCodesLeft: row.recovery_codes_left,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findProfile(db: Queryable, userId: UserId): Promise<Profile | null> {
  const [row] = await db.sql<ProfileRow>`
    select p.id, p.gateway_user_id, p.email, p.display_name, p.user_type, p.status, p.locale, g.rate_multiplier,
      p.email_verified_at, p.verification_email_sent_at, p.verification_email_error,
      p.totp_enabled_at is not null as has_code, p.created_at, p.updated_at,
      (select count(*)::int from recovery_code r where r.user_id = p.id and r.used_at is null) as recovery_codes_left
    from user_profile p join gateway_user g on g.id = p.gateway_user_id where p.id = ${userId}::bigint`;
  return row === undefined ? null : toProfile(row);
}

/** Locks the user against changes until the transaction ends. Returns whether the user exists. */
export async function lockProfile(db: Queryable, userId: UserId): Promise<boolean> {
  const rows = await db.sql`select 1 from user_profile where id = ${userId}::bigint for update`;
  return rows.length > 0;
}

/** Writes what an admin may change, under the row lock. A user who becomes active counts as verified. */
export async function updateProfile(
  db: Queryable,
  userId: UserId,
  to: Pick<Profile, "displayName" | "userType" | "status">,
): Promise<void> {
  await db.sql`
    update user_profile set display_name = ${to.displayName}, user_type = ${to.userType}, status = ${to.status},
      updated_at = now(),
      email_verified_at = case when ${to.status} = 'active' then coalesce(email_verified_at, now())
        else email_verified_at end
    where id = ${userId}::bigint`;
}

/** Writes what users may change about themselves, and no other columns. */
export async function updateOwnProfile(
  db: Queryable,
  userId: UserId,
  to: Pick<Profile, "displayName" | "locale">,
): Promise<void> {
  await db.sql`
    update user_profile set display_name = ${to.displayName}, locale = ${to.locale}, updated_at = now()
    where id = ${userId}::bigint`;
}
