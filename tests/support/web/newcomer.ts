import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { loginUser, type UserLogin } from "../accounts/logins.ts";

/** Who has yet to accept the terms, in a full house; nobody in another. */
export const newcomerEmail = "newcomer@example.org";
const newcomerToken = "n".repeat(43);
export const newcomerCookie = `SVC_USER_SESSID=${newcomerToken}`;

/** Lets the newcomer in. */
export async function addNewcomer(db: Database): Promise<UserLogin> {
  const newcomer = await loginUser({ db }, { email: newcomerEmail });
  await db.sql`update session set token_hash = ${sha256(newcomerToken)} where user_id = ${newcomer.userId}::bigint`;
  return newcomer;
}
