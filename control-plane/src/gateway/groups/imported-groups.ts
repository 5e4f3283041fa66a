import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { shownMultiplier } from "./save-group.ts";
import { findGroup, insertGroup, lockGroup, lockGroups, putMember, setAccountGroup, updateGroup } from "./store.ts";

/**
 * Makes a group have this multiplier, creating it if it is missing.
 * @returns the multiplier before; null for a group that was created
 */
export async function putImportedGroup(
  tx: Transaction,
  name: string,
  multiplier: Decimal,
  description: string,
): Promise<Decimal | null> {
  await lockGroups(tx);
  const before = await lockGroup(tx, name);
  if (before === null) {
    const settings = { name, description, multiplier, visibility: "assigned", rank: 0, isStart: false } as const;
    await insertGroup(tx, { ...settings, emailDomains: [] });
    return null;
  }
  if (shownMultiplier(before.multiplier) !== shownMultiplier(multiplier)) {
    await updateGroup(tx, { ...before, multiplier });
  }
  return shownMultiplier(before.multiplier);
}

/** Whether there is such a group: an admin may have deleted one that was imported. */
export async function isGroup(tx: Transaction, name: string): Promise<boolean> {
  return (await findGroup(tx, name)) !== null;
}

/** Lets an account use a group besides its own. */
export async function giveGroup(tx: Transaction, gatewayUserId: GatewayUserId, groupName: string): Promise<void> {
  await putMember(tx, { gatewayUserId, groupName, endsAt: null });
}

/** Makes the group the account's own. */
export async function moveToGroup(tx: Transaction, gatewayUserId: GatewayUserId, groupName: string): Promise<void> {
  await setAccountGroup(tx, gatewayUserId, groupName);
}
