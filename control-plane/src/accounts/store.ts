import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";

export async function findUserByEmail(
  db: Queryable,
  email: string,
): Promise<{ userId: UserId; gatewayUserId: GatewayUserId } | null> {
  const [row] = await db.sql<{ id: bigint; gateway_user_id: bigint }>`
    select id, gateway_user_id from user_profile where lower(email) = lower(${email})`;
  return row === undefined ? null : { userId: row.id as UserId, gatewayUserId: row.gateway_user_id as GatewayUserId };
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

/** What became of the mail with the link: when it went out, or why it did not. */
export async function setVerificationMail(
  db: Queryable,
  userId: UserId,
  outcome: { readonly sentAt: Date | null; readonly error: string | null },
): Promise<void> {
  await db.sql`
    update user_profile
    set verification_email_sent_at = coalesce(${outcome.sentAt}::timestamptz, verification_email_sent_at),
      verification_email_error = ${outcome.error}
    where id = ${userId}::bigint`;
}
