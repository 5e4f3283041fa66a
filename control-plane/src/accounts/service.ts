import { randomBytes } from "node:crypto";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { SuperAdmins } from "../admin/approvals/port.ts";
import { audit, byCommand } from "../admin/audit/service.ts";
import { addressGroup } from "../platform/client-address.ts";
import type { Database, Queryable, Transaction } from "../platform/db.ts";
import { findAdminByLogin, hasAdmin, holdSuperRights, insertAdmin, listOtherSuperAdmins } from "./admins/store.ts";
import { countFromAddress, countFromNetwork } from "./attempts/attempts.ts";
import { PasswordHashing } from "./passwords/password-hashing.ts";
import { ofAdmin, revokeSessionsOf } from "./sessions/store.ts";
import { findEmailOfGatewayUser, findUserByEmail, insertActiveProfile, setFirstPassword } from "./store.ts";
import { totpSealedColumns } from "./totp/second-factor.ts";
import { removeSecret } from "./totp/totp-store.ts";

/** What this feature encrypts under the master key. */
export const accountSealedColumns = totpSealedColumns;

export type KnownUser = { readonly userId: UserId; readonly gatewayUserId: GatewayUserId };

/** What two-person approval needs to know about admins. */
export const superAdmins: SuperAdmins = { hold: holdSuperRights, othersThan: listOtherSuperAdmins };

/** The e-mail address of a gateway user; null without a profile. */
export const emailOfGatewayUser: (db: Queryable, id: GatewayUserId) => Promise<string | null> = findEmailOfGatewayUser;

/** Counts anonymous orders by the address they come from. */
export function guestOrders(db: Database): {
  readonly count: (ip: string) => Promise<void>;
  readonly networkOf: (ip: string) => string;
} {
  return { count: (ip) => countFromAddress(db, "order", ip), networkOf: addressGroup };
}

/**
 * Counts leads by sender, so that no sender uses up the shared limit.
 * @returns a function that throws AppError `too_many_attempts`
 */
export function leadSenders(db: Database): (ip: string) => Promise<void> {
  return async (ip) => {
    await countFromAddress(db, "lead", ip);
    await countFromNetwork(db, "lead", ip);
  };
}

/** The user with this address, created through `makeGatewayUser` when missing. */
export async function findOrCreateUser(
  tx: Queryable,
  profile: { readonly email: string; readonly displayName: string },
  makeGatewayUser: () => Promise<GatewayUserId>,
): Promise<KnownUser> {
  const known = await findUserByEmail(tx, profile.email);
  if (known !== null) {
    return known;
  }
  const gatewayUserId = await makeGatewayUser();
  return { userId: await insertActiveProfile(tx, { ...profile, gatewayUserId }), gatewayUserId };
}

/** A password for a user who has none, which can be seen only now; null when the user already has one. */
export async function createFirstPassword(tx: Queryable, userId: UserId): Promise<string | null> {
  const password = generatePassword();
  const passwordHash = await new PasswordHashing().hash(password);
  return (await setFirstPassword(tx, userId, passwordHash)) ? password : null;
}

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
  const adminId = await insertAdmin(tx, { username, email, mobile, passwordHash, agent });
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
 * @returns false when there is no such admin or no authenticator
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
  await revokeSessionsOf(tx, ofAdmin(admin.id), null);
  await audit(tx, byCommand(command), "totp.remove", { subjectKind: "admin", subjectId: admin.id, reason });
  return true;
}

/** 120 random bits, in characters that can be copied without mistakes. */
function generatePassword(): string {
  return randomBytes(15).toString("base64url");
}
