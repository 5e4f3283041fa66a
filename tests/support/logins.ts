import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { addGatewayUser } from "@sluice/control-plane/gateway/service.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";

export type UserLogin = {
  /** The value of the header `cookie`. */
  readonly cookie: string;
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
};

export type AdminLogin = { readonly cookie: string; readonly adminId: bigint; readonly username: string };

type OnDatabase = { readonly db: Database };

async function insertSession(db: Database, userId: bigint | null, adminId: bigint | null): Promise<string> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  await db.sql`
    insert into session (token_hash, user_id, admin_id, ip, user_agent, expires_at)
    values (${sha256(token)}, ${userId}::bigint, ${adminId}::bigint, '127.0.0.1', 'test', now() + interval '1 day')`;
  return token;
}

/** A new admin who is logged in; a super-admin unless told otherwise. The password can't be used: there is none. */
export async function loginAdmin({ db }: OnDatabase, { isSuper = true } = {}): Promise<AdminLogin> {
  const username = `admin-${crypto.randomUUID().slice(0, 8)}`;
  const [row] = await db.sql<{ id: bigint }>`
    insert into shared_admin_credentials (username, password_hash, agent)
    values (${username}, '!', ${isSuper ? 2 : 1}::int) returning id`;
  const adminId = row?.id ?? 0n;
  return { cookie: `SVC_ADMIN_SESSID=${await insertSession(db, null, adminId)}`, adminId, username };
}

/** A new, verified user who is logged in, without quota unless told otherwise. */
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
