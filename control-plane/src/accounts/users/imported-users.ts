import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../../platform/db.ts";
import { parseEmailAddress } from "../email-address.ts";
import {
  type ImportedUser,
  insertImportedProfile,
  isEmailTaken,
  isUsernameTaken,
  lockImportedProfile,
  updateImportedProfile,
} from "./imported-user-store.ts";

export type { ImportedUser } from "./imported-user-store.ts";

const usernameLengthMax = 64;

/** The address as accounts have it; null if it is none, or if another account has it. */
export async function freeAddress(tx: Queryable, text: string): Promise<string | null> {
  const email = parseEmailAddress(text);
  return email === null || (await isEmailTaken(tx, email)) ? null : email;
}

/** Whether a user can log in by this name. One with an @ could be the address of someone else. */
export async function isFreeUsername(tx: Queryable, username: string): Promise<boolean> {
  const isName = username !== "" && username.length <= usernameLengthMax && !/[@\s\p{Cc}\p{Cf}]/u.test(username);
  return isName && !(await isUsernameTaken(tx, username));
}

/** Adds a user of another gateway, whose password goes on working. */
export async function addImportedUser(
  tx: Queryable,
  gatewayUserId: GatewayUserId,
  user: ImportedUser,
): Promise<UserId> {
  return await insertImportedProfile(tx, gatewayUserId, user);
}

/**
 * Changes a user who was imported before, unless someone has changed the account here since.
 * @returns whether it was changed
 */
export async function changeImportedUser(
  tx: Queryable,
  userId: UserId,
  to: Pick<ImportedUser, "displayName" | "passwordHash" | "status">,
  writtenAt: Date,
): Promise<boolean> {
  const now = await lockImportedProfile(tx, userId);
  if (now === null || now.updatedAt.getTime() > writtenAt.getTime()) {
    return false;
  }
  await updateImportedProfile(tx, userId, to);
  return true;
}
