import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { giveGroup } from "../gateway/groups/imported-groups.ts";
import {
  addImportedKey,
  changeImportedKey,
  endImportedKey,
  type ImportedKey,
  isImportedKey,
  isMovableKey,
} from "../gateway/keys/imported-keys.ts";
import type { KeyOwner, PeerKey, PeerUser } from "./model.ts";
import { memberItem } from "./move-organisations.ts";
import { quotaOfUnits } from "./quota-of-units.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import { shortOf } from "./source/read-values.ts";
import type { Item } from "./store.ts";

const nameLengthMax = 100;
const limitMax = 1_000_000_000_000_000n;

/** The API keys: clients continue with those that they have. */
export async function moveKeys(step: Step): Promise<void> {
  const items = await step.items("key");
  const groups = await step.items("group");
  const means = { owners: await readOwners(step), groups };
  const lines = new Map([...items].map(([id, { target }]) => [id, target]));
  // A key that shares the limits of another comes after it.
  const keys = step.data.keys.toSorted((a, b) => Number(a.replacedBy !== null) - Number(b.replacedBy !== null));
  for (const key of keys) {
    const known = items.get(key.id);
    // The digest is stored, so it must not be one of the key alone.
    const digest = digestOf({ ...key, kind: "key" });
    if (known !== undefined && isSameDigest(known.digest, digest)) {
      step.counts.unchanged += 1;
      continue;
    }
    const prepared = prepare(step, key, means);
    const target =
      prepared === null
        ? null
        : await moveKey(step, { ...prepared, key, digest, line: lines.get(key.replacedBy ?? "") }, known);
    if (target !== null) {
      lines.set(key.id, target);
    }
  }
}

type Means = { readonly owners: Owners; readonly groups: ReadonlyMap<string, Item> };

/** Whose key it is here and how it is limited; null, with a note, if it can't be moved. */
function prepare(step: Step, key: PeerKey, { owners, groups }: Means): Pick<MovedKey, "owner" | "settings"> | null {
  const owner = ownerOf(key.owner, owners);
  const problem = owner === null ? "Its user does not exist or was not moved." : problemOf(key, groups);
  if (owner === null || problem !== null) {
    step.counts.leftOut += 1;
    step.note("lost", "tokens", shownId(key), problem ?? "Its user is missing.");
    return null;
  }
  const group = key.group === (owner.user?.group ?? "") ? null : (groups.get(key.group)?.target ?? null);
  return { owner, settings: settingsOf(step, key, owner, group) };
}

/** What the report calls a key: never all of its digest. */
const shownId = ({ id, secret }: PeerKey): string => ("hash" in secret ? shownKeyId(id) : id);

/** As the report has always called the keys of LiteLLM, whose ids are their digests. */
export const shownKeyId = (id: string): string => id.slice(0, 12);

type Owner = {
  readonly account: GatewayUserId;
  /** Null for an organisation. */
  readonly user: PeerUser | null;
  readonly memberId: bigint | null;
  readonly projectId: bigint | null;
};

type Owners = {
  readonly users: ReadonlyMap<string, PeerUser>;
  readonly accounts: ReadonlyMap<string, Item>;
  readonly organisations: ReadonlyMap<string, Item>;
  readonly members: ReadonlyMap<string, Item>;
  readonly projects: ReadonlyMap<string, Item>;
};

async function readOwners(step: Step): Promise<Owners> {
  return {
    users: new Map(step.data.users.map((user) => [user.id, user])),
    accounts: await step.items("user"),
    organisations: await step.items("organisation"),
    members: await step.items("member"),
    projects: await step.items("project"),
  };
}

function ownerOf(owner: KeyOwner, known: Owners): Owner | null {
  if (owner.kind === "user") {
    const user = known.users.get(owner.id);
    const account = known.accounts.get(owner.id)?.gatewayUserId ?? null;
    return user === undefined || account === null ? null : { account, user, memberId: null, projectId: null };
  }
  const account = known.organisations.get(owner.id)?.gatewayUserId ?? null;
  const member = known.members.get(memberItem(owner.id, owner.memberUserId));
  const project = owner.projectId === null ? undefined : known.projects.get(owner.projectId);
  return account === null || member === undefined
    ? null
    : {
        account,
        user: null,
        memberId: BigInt(member.target),
        projectId: project === undefined ? null : BigInt(project.target),
      };
}

function problemOf({ secret, group }: PeerKey, groups: ReadonlyMap<string, Item>): string | null {
  if ("key" in secret && !isMovableKey(secret.key)) {
    return "It is not 22 to 128 characters of those that keys can have, so it can't be one here. Its owner needs a new one.";
  }
  return group !== "" && !groups.has(group) ? `Its group ${JSON.stringify(group)} was not moved.` : null;
}

type MovedKey = {
  readonly key: PeerKey;
  readonly owner: Owner;
  readonly settings: ImportedKey;
  readonly digest: Uint8Array;
  /** The key whose limits it shares. */
  readonly line: string | undefined;
};

/** @returns its id here; null, with a note, if it can't be moved */
async function moveKey(step: Step, moved: MovedKey, sameId: Item | undefined): Promise<string | null> {
  const { key, owner, settings, digest } = moved;
  const known = sameId === undefined || (await isSameKey(step, key, sameId)) ? sameId : undefined;
  const isKept = known !== undefined && !(await change(step, key, known, settings));
  const target = known === undefined ? await add(step, moved) : known.target;
  if (target === null) {
    return null;
  }
  if (settings.groupName !== null) {
    await giveGroup(step.tx, owner.account, settings.groupName);
  }
  const item = { sourceId: key.id, digest, target, gatewayUserId: owner.account, movedQuota: null };
  await step.keep("key", item, isKept ? known.writtenAt : null);
  return target;
}

/** @returns false for another key that has got the id of a deleted one, which ends here as well */
async function isSameKey(step: Step, key: PeerKey, known: Item): Promise<boolean> {
  const isSame = await isImportedKey(step.tx, BigInt(known.target) as ApiKeyId, key.secret);
  if (!isSame) {
    await endKey(step, shownId(key), known);
  }
  return isSame;
}

/** Ends a key that was deleted there: nobody can call with it here, either. */
export async function endKey(step: Step, shown: string, known: Item): Promise<void> {
  const result = await endImportedKey(step.tx, BigInt(known.target) as ApiKeyId, known.writtenAt);
  step.counts[result === "ended" ? "changed" : result === "kept" ? "kept" : "unchanged"] += 1;
  if (result === "ended") {
    step.note("note", "tokens", shown, "It was deleted there since the last run, so it is revoked here.");
  } else if (result === "kept") {
    const text =
      "It was deleted there since the last run, but changed here. It keeps working: revoke it if it should not.";
    step.note("decide", "tokens", shown, text);
  }
}

function settingsOf({ data }: Step, key: PeerKey, owner: Owner, groupName: string | null): ImportedKey {
  const remaining = key.remaining === null ? null : quotaOfUnits(key.remaining, data.options);
  return {
    name: shortOf(key.name, nameLengthMax) || `key ${key.id}`.slice(0, nameLengthMax),
    // A deleted account keeps its keys there, and they must never work again.
    status: owner.user?.state === "closed" ? "revoked" : key.status,
    expiresAt: key.expiresAt,
    allowedModels: key.models,
    allowedIps: key.addresses,
    groupName,
    requestsPerMinute: key.limits?.requestsPerMinute ?? null,
    tokensPerMinute: key.limits?.tokensPerMinute ?? null,
    concurrencyMax: key.limits?.concurrencyMax ?? null,
    limit: remaining === null ? null : { quota: remaining > limitMax ? limitMax : remaining, period: key.period },
  };
}

async function add(step: Step, { key, owner, settings, line }: MovedKey): Promise<string | null> {
  const { account, memberId, projectId } = owner;
  const limitKeyId = line === undefined ? null : (BigInt(line) as ApiKeyId);
  const id = await addImportedKey(
    step.tx,
    { gatewayUserId: account, memberId, projectId, limitKeyId },
    key.secret,
    settings,
  );
  if (id === null) {
    step.counts.leftOut += 1;
    step.note("lost", "tokens", shownId(key), "The same key exists here already.");
    return null;
  }
  step.counts.made += 1;
  return id.toString();
}

/** @returns whether it was changed; if not, with a note, it stays as it is here */
async function change(step: Step, key: PeerKey, known: Item, settings: ImportedKey): Promise<boolean> {
  const isChanged = await changeImportedKey(step.tx, BigInt(known.target) as ApiKeyId, settings, known.writtenAt);
  step.counts[isChanged ? "changed" : "kept"] += 1;
  if (!isChanged) {
    const kept = "The key was changed or used here since the last run, so it stays as it is.";
    const isOff = settings.status !== "active";
    const text = isOff ? `${kept} It does not work there: disable it here if it should not.` : kept;
    step.note(isOff ? "decide" : "note", "tokens", shownId(key), text);
  }
  return isChanged;
}
