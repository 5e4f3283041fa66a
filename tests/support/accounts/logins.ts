import type { StoredRole } from "@sluice/contracts/admin-roles";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { managementTokenPrefix } from "@sluice/contracts/token-prefix";
import type { TokenScope } from "@sluice/contracts/token-scopes";
import { Sessions } from "@sluice/control-plane/accounts/sessions/sessions.ts";
import { settingRegistry } from "@sluice/control-plane/admin/settings/registry.ts";
import { addGatewayUser } from "@sluice/control-plane/gateway/gateway-users.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { randomText } from "@sluice/control-plane/platform/crypto/random-text.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";

export type UserLogin = {
  /** The value of the header `cookie`. */
  readonly cookie: string;
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
};

export type AdminLogin = { readonly cookie: string; readonly adminId: bigint; readonly username: string };

/** The caller, as the program determines it with its default settings. */
export function sessionsOf(db: Database): Sessions {
  const adminRules = () => ({
    freshLoginMinutes: settingRegistry["admin.fresh_login_minutes"].default,
    isSecondFactorRequired: false,
  });
  return new Sessions({ db, isSecure: true, adminRules });
}

type OnDatabase = { readonly db: Database };

async function insertSession(db: Database, userId: bigint | null, adminId: bigint | null): Promise<string> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  await db.sql`
    insert into session (token_hash, user_id, admin_id, ip, user_agent, expires_at)
    values (${sha256(token)}, ${userId}::bigint, ${adminId}::bigint, '127.0.0.1', 'test', now() + interval '1 day')`;
  return token;
}

/**
 * A new logged-in admin: by default a super-admin with a fresh login, who may do everything. There is no usable
 * password.
 */
export async function loginAdmin(
  { db }: OnDatabase,
  { isSuper = true, isFresh = true, role = "admin" as StoredRole } = {},
): Promise<AdminLogin> {
  const username = `admin-${crypto.randomUUID().slice(0, 8)}`;
  const [row] = await db.sql<{ id: bigint }>`
    insert into shared_admin_credentials (username, password_hash, agent, role)
    values (${username}, '!', ${isSuper ? 2 : 1}::int, ${role}) returning id`;
  const adminId = row?.id ?? 0n;
  const cookie = `SVC_ADMIN_SESSID=${await insertSession(db, null, adminId)}`;
  if (!isFresh) {
    await ageLogins({ db }, adminId);
  }
  return { cookie, adminId, username };
}

/** The admin's logins are too old for actions that require a fresh one. */
export async function ageLogins({ db }: OnDatabase, adminId: bigint): Promise<void> {
  await db.sql`update session set created_at = created_at - interval '2 hours' where admin_id = ${adminId}::bigint`;
}

/** A new, verified, logged-in user, by default without quota. */
export async function loginUser({ db }: OnDatabase, { quota = 0n, email = "" } = {}): Promise<UserLogin> {
  const address = email === "" ? `user-${crypto.randomUUID().slice(0, 8)}@example.org` : email;
  return await db.withTransaction(async (tx) => {
    const { gatewayUserId } = await addGatewayUser(tx, "default", { amount: quota, changeType: "test" });
    const [row] = await tx.sql<{ id: bigint }>`
      insert into user_profile (gateway_user_id, email, display_name, status, email_verified_at)
      values (${gatewayUserId}::bigint, ${address}, 'Test user', 'active', now()) returning id`;
    const userId = (row?.id ?? 0n) as UserId;
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    await tx.sql`
      insert into session (token_hash, user_id, ip, user_agent, expires_at)
      values (${sha256(token)}, ${userId}::bigint, '127.0.0.1', 'test', now() + interval '1 day')`;
    return { cookie: `SVC_USER_SESSID=${token}`, userId, gatewayUserId, email: address };
  });
}

/** A new access token of a user or an admin. */
export async function giveToken(
  { db }: OnDatabase,
  owner: Pick<UserLogin, "userId"> | Pick<AdminLogin, "adminId">,
  scopes: readonly TokenScope[],
  organisationId: bigint | null = null,
): Promise<string> {
  const token = `${managementTokenPrefix}${randomText(48)}`;
  const userId = "userId" in owner ? owner.userId : null;
  const adminId = "adminId" in owner ? owner.adminId : null;
  await db.sql`
    insert into management_token (user_id, admin_id, organisation_id, name, token_hash, hint, scopes, expires_at)
    values (${userId}::bigint, ${adminId}::bigint, ${organisationId}::bigint, 'test', ${sha256(token)}, ${token.slice(-4)},
      ${arrayLiteral(scopes)}::text[], now() + interval '1 day')`;
  return token;
}
