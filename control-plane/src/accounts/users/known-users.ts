import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../../platform/db.ts";
import { generatePassword } from "../passwords/generate-password.ts";
import { PasswordHashing } from "../passwords/password-hashing.ts";
import { findEmailOfGatewayUser, findUserByEmail, insertActiveProfile, setFirstPassword } from "../store.ts";

export type KnownUser = { readonly userId: UserId; readonly gatewayUserId: GatewayUserId };

/** The e-mail address of a gateway user; null without a profile. */
export const emailOfGatewayUser: (db: Queryable, id: GatewayUserId) => Promise<string | null> = findEmailOfGatewayUser;

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
