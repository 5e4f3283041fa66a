/** What may be done to a key, by whom. */
import type { GatewayUserId } from "@sluice/contracts/ids";
import { type ApiKeyView, type KeySaveInput, liveKeysMax } from "@sluice/contracts/keys";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import type { KeyOwner } from "./key-owner.ts";
import type { QuotaLimit } from "./key-quota.ts";
import { keyLocked } from "./model.ts";
import { countLiveKeys, hasGroup, hasProject } from "./settings-store.ts";

export const revokedForGood = () => new AppError("conflict", { message: "This key has been revoked permanently." });

export function requireChangeable(owner: KeyOwner, view: ApiKeyView): void {
  if (view.status === "revoked") {
    throw revokedForGood();
  }
  requireUnlocked(owner, view);
  if (view.rotated_to_id !== null) {
    throw new AppError("conflict", { message: "This key was rotated. Change its successor instead." });
  }
}

/** Only operators change a key that they have locked; its owner may revoke it. */
export function requireUnlocked({ actor }: KeyOwner, { lock_reason: reason }: ApiKeyView): void {
  if (reason !== null && actor.kind !== "admin") {
    throw keyLocked(reason);
  }
}

export async function requireRoom(tx: Transaction, gatewayUserId: GatewayUserId): Promise<void> {
  if ((await countLiveKeys(tx, gatewayUserId)) >= liveKeysMax) {
    throw new AppError("too_many_keys");
  }
}

/** @throws AppError `invalid_value` for a group that the user does not have; groups of others are not revealed */
export async function requireGroup(tx: Transaction, { gatewayUserId }: KeyOwner, group: string | null): Promise<void> {
  if (group !== null && !(await hasGroup(tx, gatewayUserId, group))) {
    throw new AppError("invalid_value", { fields: { group: "This account can't use this group." } });
  }
}

/** @throws AppError `invalid_value` for a project of another organisation or an archived one, or without an organisation */
export async function requireProject(
  tx: Transaction,
  { gatewayUserId }: KeyOwner,
  projectId: bigint | null | undefined,
): Promise<bigint | null> {
  if (projectId == null) {
    return null;
  }
  if (!(await hasProject(tx, gatewayUserId, projectId))) {
    throw new AppError("invalid_value", { fields: { project_id: "This project does not exist or is archived." } });
  }
  return projectId;
}

export function limitOf(
  current: ApiKeyView | null,
  input: Pick<KeySaveInput, "quota_limit" | "reset_period">,
): QuotaLimit | null {
  const was = current?.quota_limit ?? null;
  const quota = input.quota_limit === undefined ? was : input.quota_limit;
  if (quota === null) {
    if (input.reset_period !== undefined && input.reset_period !== "none") {
      throw new AppError("invalid_value", { fields: { reset_period: "A reset period requires a quota_limit." } });
    }
    return null;
  }
  return { quota: BigInt(quota), period: input.reset_period ?? current?.reset_period ?? "none" };
}
