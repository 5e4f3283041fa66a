import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";
import { findUserByEmail, insertActiveProfile } from "./store.ts";

export type KnownUser = { readonly userId: UserId; readonly gatewayUserId: GatewayUserId };

/** The user with this address, made with the help of `makeGatewayUser` when there is none. */
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
