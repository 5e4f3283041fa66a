import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { giveGroup } from "../gateway/groups/imported-groups.ts";
import { addImportedKey, changeImportedKey, type ImportedKey, isMovableKey } from "../gateway/keys/imported-keys.ts";
import type { PeerKey, PeerUser } from "./model.ts";
import { quotaOfUnits } from "./quota-of-units.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import type { Item } from "./store.ts";

const nameLengthMax = 100;
const limitMax = 1_000_000_000_000_000n;

/** The API keys: clients go on with those that they have. */
export async function moveKeys(step: Step): Promise<void> {
  const items = await step.items("key");
  const accounts = await step.items("user");
  const groups = await step.items("group");
  const users = new Map(step.data.users.map((user) => [user.id, user]));
  for (const key of step.data.keys) {
    const known = items.get(key.id);
    // The digest is stored, so it must not be one of the key alone.
    const digest = digestOf({ ...key, kind: "key" });
    if (known !== undefined && isSameDigest(known.digest, digest)) {
      step.counts.unchanged += 1;
      continue;
    }
    const owner = ownerOf(key, users, accounts);
    const problem = owner === null ? "Its user does not exist or was not moved." : problemOf(key, groups);
    if (owner === null || problem !== null) {
      step.counts.leftOut += 1;
      step.note("lost", "tokens", key.id, problem ?? "Its user is missing.");
      continue;
    }
    const group = key.group === owner.user.group ? null : (groups.get(key.group)?.target ?? null);
    await moveKey(step, { key, owner, settings: settingsOf(step, key, owner.user, group), digest }, known);
  }
}

type Owner = { readonly user: PeerUser; readonly account: GatewayUserId };

function ownerOf(
  { userId }: PeerKey,
  users: ReadonlyMap<string, PeerUser>,
  accounts: ReadonlyMap<string, Item>,
): Owner | null {
  const user = users.get(userId);
  const account = accounts.get(userId)?.gatewayUserId ?? null;
  return user === undefined || account === null ? null : { user, account };
}

function problemOf({ key, group }: PeerKey, groups: ReadonlyMap<string, Item>): string | null {
  if (!isMovableKey(key)) {
    return "It is not 22 to 128 characters of those that keys can have, so it can't be one here. Its owner needs a new one.";
  }
  return group !== "" && !groups.has(group) ? `Its group ${JSON.stringify(group)} was not moved.` : null;
}

type MovedKey = {
  readonly key: PeerKey;
  readonly owner: Owner;
  readonly settings: ImportedKey;
  readonly digest: Uint8Array;
};

async function moveKey(step: Step, { key, owner, settings, digest }: MovedKey, known: Item | undefined): Promise<void> {
  const { account } = owner;
  const target =
    known === undefined ? await add(step, account, key, settings) : await change(step, key, known, settings);
  if (target === null) {
    return;
  }
  if (settings.groupName !== null) {
    await giveGroup(step.tx, account, settings.groupName);
  }
  await step.keep("key", { sourceId: key.id, digest, target, gatewayUserId: account, movedQuota: null });
}

function settingsOf({ data }: Step, key: PeerKey, owner: PeerUser, groupName: string | null): ImportedKey {
  const remaining = key.remaining === null ? null : quotaOfUnits(key.remaining, data.options);
  return {
    name: key.name.slice(0, nameLengthMax) || `key ${key.id}`,
    // A deleted account keeps its keys there, and they must never work again.
    status: owner.state === "closed" ? "revoked" : key.status,
    expiresAt: key.expiresAt,
    allowedModels: key.models,
    allowedIps: key.addresses,
    groupName,
    remaining: remaining !== null && remaining > limitMax ? limitMax : remaining,
  };
}

async function add(step: Step, account: GatewayUserId, key: PeerKey, settings: ImportedKey): Promise<string | null> {
  const id = await addImportedKey(step.tx, account, key.key, settings);
  if (id === null) {
    step.counts.leftOut += 1;
    step.note("lost", "tokens", key.id, "The same key exists here already.");
    return null;
  }
  step.counts.made += 1;
  return id.toString();
}

async function change(step: Step, key: PeerKey, known: Item, settings: ImportedKey): Promise<string> {
  if (await changeImportedKey(step.tx, BigInt(known.target) as ApiKeyId, settings, known.writtenAt)) {
    step.counts.changed += 1;
  } else {
    step.counts.kept += 1;
    step.note("note", "tokens", key.id, "The key was changed or used here since the last run, so it stays as it is.");
  }
  return known.target;
}
