import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../../platform/db.ts";
import { parseEmailAddress } from "../email-address.ts";
import {
  type ImportedProfile,
  type ImportedUser,
  insertImportedProfile,
  isEmailTaken,
  isUsernameTaken,
  lockImportedProfile,
  updateImportedProfile,
} from "./imported-user-store.ts";

export type { ImportedProfile, ImportedUser } from "./imported-user-store.ts";

const usernameLengthMax = 64;

/**
 * The address as accounts have it; null if it is none, or if another account has it.
 * @param own whose address it may be; null for a user who is new
 */
export async function freeAddress(tx: Queryable, text: string, own: UserId | null): Promise<string | null> {
  const email = parseEmailAddress(text);
  return email === null || (await isEmailTaken(tx, email, own)) ? null : email;
}

/**
 * Whether a user can log in by this name. One with an @ could be the address of someone else.
 * @param own whose name it may be; null for a user who is new
 */
export async function isFreeUsername(tx: Queryable, username: string, own: UserId | null): Promise<boolean> {
  const isName = username !== "" && username.length <= usernameLengthMax && !/[@\s\p{Cc}\p{Cf}]/u.test(username);
  return isName && !(await isUsernameTaken(tx, username, own));
}

/** Adds a user of another gateway, whose password keeps working. */
export async function addImportedUser(
  tx: Queryable,
  gatewayUserId: GatewayUserId,
  user: ImportedUser,
): Promise<UserId> {
  return await insertImportedProfile(tx, gatewayUserId, user);
}

/**
 * Keeps a user who was imported before as it is until the transaction ends.
 * @returns what may be changed; null if someone has changed the account here since the import wrote it
 */
export async function lockImportedUser(
  tx: Queryable,
  userId: UserId,
  writtenAt: Date,
): Promise<Pick<ImportedProfile, "email" | "username"> | null> {
  const now = await lockImportedProfile(tx, userId, writtenAt);
  return now === null || now.isChangedHere ? null : now;
}

/** Changes a user who is locked. */
export async function changeImportedUser(tx: Queryable, userId: UserId, to: ImportedUser): Promise<void> {
  await updateImportedProfile(tx, userId, to);
}
