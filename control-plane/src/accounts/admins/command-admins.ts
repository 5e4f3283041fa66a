/** Admins as commands on the server create and repair them. */

import { audit, byCommand } from "../../admin/audit/service.ts";
import type { Queryable, Transaction } from "../../platform/db.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { generatePassword } from "../passwords/generate-password.ts";
import { PasswordHashing } from "../passwords/password-hashing.ts";
import { ofAdmin } from "../sessions/store.ts";
import { removeSecret } from "../totp/totp-store.ts";
import { findAdminByLogin, hasAdmin, insertAdmin } from "./store.ts";

export type NewAdmin = {
  readonly username: string;
  readonly email: string | null;
  readonly mobile: string | null;
  /** Null generates a password. */
  readonly password: string | null;
  readonly isSuper: boolean;
};

/**
 * Creates an admin and records who did it.
 * @param command the name of the command, for the audit log
 * @returns the password, which can be seen only now; null when the username, email or mobile number is taken
 */
export async function createAdmin(
  tx: Transaction,
  admin: NewAdmin,
  command: string,
): Promise<{ readonly adminId: bigint; readonly password: string } | null> {
  const { username, email, mobile } = admin;
  const agent = admin.isSuper ? 2 : 1;
  const password = admin.password ?? generatePassword();
  const passwordHash = await new PasswordHashing().hash(password);
  const adminId = await insertAdmin(tx, { username, email, mobile, passwordHash, agent, role: "admin" });
  if (adminId === null) {
    return null;
  }
  await audit(tx, byCommand(command), "admin.create", {
    subjectKind: "admin",
    subjectId: adminId,
    after: { username, email, mobile, agent },
  });
  return { adminId, password };
}

/** Creates the super-admin `admin` on a first start. Returns the password, or null when there is an admin already. */
export async function createFirstAdmin(tx: Transaction): Promise<{ username: string; password: string } | null> {
  if (await hasAdmin(tx)) {
    return null;
  }
  const username = "admin";
  const made = await createAdmin(tx, { username, email: null, mobile: null, password: null, isSuper: true }, "seed");
  return made === null ? null : { username, password: made.password };
}

/** Whether anyone can log in as an admin. */
export async function isAnyAdmin(db: Queryable): Promise<boolean> {
  return await hasAdmin(db);
}

/**
 * Removes the authenticator and the recovery codes of an admin, for a command on the server; all sessions end.
 * @returns false if the admin or the authenticator does not exist
 */
export async function removeAdminTotp(
  tx: Transaction,
  username: string,
  { command, reason }: { readonly command: string; readonly reason: string },
): Promise<boolean> {
  const admin = await findAdminByLogin(tx, username);
  if (admin === null || !(await removeSecret(tx, { kind: "admin", id: admin.id }))) {
    return false;
  }
  await endAccess(tx, ofAdmin(admin.id));
  await audit(tx, byCommand(command), "totp.remove", { subjectKind: "admin", subjectId: admin.id, reason });
  return true;
}
