import type { UserId } from "@sluice/contracts/ids";
import { putImportedAuthenticator } from "../accounts/totp/imported-authenticator.ts";
import { changeImportedUser, lockImportedUser } from "../accounts/users/imported-users.ts";
import { changeGatewayUser } from "../gateway/gateway-users.ts";
import { changeImportedOrganisation } from "../organisations/imported-organisations.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { DeletableKind } from "./model.ts";
import { moveBalance } from "./move-balance.ts";
import { endKey, shownKeyId } from "./move-keys.ts";
import { placeholderOf } from "./move-users.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import type { Item } from "./store.ts";

/** What the item of a deleted row has in place of the digest of the row. */
const deleted = digestOf({ kind: "deleted" });

export const isDeleted = ({ digest }: Item): boolean => isSameDigest(digest, deleted);

/** Of so many moved users, half have to be there: a database that misses more may be that of another gateway. */
const usersToDoubt = 5;

/**
 * Ends what was moved and has been deleted there since: keys are revoked, accounts closed, organisations suspended, and what
 * was moved of their balances is taken back. It comes first, because others may have their names and addresses by now.
 */
export async function moveDeleted(step: Step, masterKey: MasterKey): Promise<void> {
  const users = await missing(step, "user");
  const known = (await step.items("user")).size;
  if (known >= usersToDoubt && users.length * 2 > known) {
    const text =
      "They were moved before and are not in this database, so nothing that misses here is ended. Choose another --instance if it is " +
      "the database of another gateway; close these accounts by hand if they were deleted.";
    step.note("decide", "users", `${users.length} of ${known}`, text);
    return;
  }
  for (const [id, item] of await missing(step, "key")) {
    await endKey(step, step.data.program === "litellm" ? shownKeyId(id) : id, item);
    await keepDeleted(step, "key", [id, item]);
  }
  for (const row of users) {
    await closeUser(step, row, masterKey);
  }
  for (const row of await missing(step, "organisation")) {
    await closeOrganisation(step, row);
  }
  for (const [id] of await missing(step, "channel")) {
    step.counts.unchanged += 1;
    const text = "It was moved before, and this run has not found it. Disable it here by hand if it was deleted there.";
    step.note("decide", "channels", id, text);
  }
}

type MovedRow = readonly [id: string, item: Item];

async function missing(step: Step, kind: DeletableKind): Promise<readonly MovedRow[]> {
  const present = step.data.present[kind];
  return [...(await step.items(kind))].filter(([id, item]) => !present.has(id) && !isDeleted(item));
}

/** @param change what stays of the balance, and when the target was written if it stays as it is */
async function keepDeleted(
  step: Step,
  kind: DeletableKind,
  [sourceId, item]: MovedRow,
  change: { readonly movedQuota: bigint | null; readonly writtenAt: Date | null } = { ...item },
): Promise<void> {
  const { target, gatewayUserId } = item;
  const { movedQuota, writtenAt } = change;
  await step.keep(kind, { sourceId, digest: deleted, target, gatewayUserId, movedQuota }, writtenAt);
}

async function closeUser(step: Step, row: MovedRow, masterKey: MasterKey): Promise<void> {
  const [id, { target, gatewayUserId, movedQuota, writtenAt }] = row;
  const userId = BigInt(target) as UserId;
  const now = await lockImportedUser(step.tx, userId, writtenAt);
  if (gatewayUserId === null || now === null) {
    await keepAccount(step, "user", row);
    return;
  }
  const nobody = { username: null, displayName: null, passwordHash: null, isVerified: false };
  const email = placeholderOf(step.options, id);
  await changeImportedUser(step.tx, userId, { ...nobody, email, status: "closed" });
  await putImportedAuthenticator(step.tx, masterKey, userId, null);
  await changeGatewayUser(step.tx, gatewayUserId, { isEnabled: false });
  await moveBalance(step, gatewayUserId, -(movedQuota ?? 0n));
  await keepDeleted(step, "user", row, { movedQuota: 0n, writtenAt: null });
  step.counts.changed += 1;
  step.note("note", "users", id, `It was deleted there since the last run, so it is closed here.${taken(movedQuota)}`);
}

async function closeOrganisation(step: Step, row: MovedRow): Promise<void> {
  const [id, { target, gatewayUserId, movedQuota, writtenAt }] = row;
  const to = { name: null, isSuspended: true };
  if (gatewayUserId === null || !(await changeImportedOrganisation(step.tx, BigInt(target), to, writtenAt))) {
    await keepAccount(step, "organisation", row);
    return;
  }
  await changeGatewayUser(step.tx, gatewayUserId, { isEnabled: false });
  await moveBalance(step, gatewayUserId, -(movedQuota ?? 0n));
  await keepDeleted(step, "organisation", row, { movedQuota: 0n, writtenAt: null });
  step.counts.changed += 1;
  const text = `It was deleted there since the last run, so it is suspended here.${taken(movedQuota)}`;
  step.note("note", "organisations", id, text);
}

async function keepAccount(step: Step, kind: "user" | "organisation", row: MovedRow): Promise<void> {
  await keepDeleted(step, kind, row);
  step.counts.kept += 1;
  const text =
    "It was deleted there since the last run, but changed here. It stays with its balance: close it if it should not.";
  step.note("decide", `${kind}s`, row[0], text);
}

const taken = (movedQuota: bigint | null): string =>
  movedQuota === null || movedQuota === 0n ? "" : ` What was moved of its balance, ${movedQuota} quota, is taken back.`;
