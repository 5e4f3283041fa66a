import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { putImportedAuthenticator } from "../accounts/totp/imported-authenticator.ts";
import {
  addImportedUser,
  changeImportedUser,
  freeAddress,
  type ImportedProfile,
  type ImportedUser,
  isFreeUsername,
  lockImportedUser,
} from "../accounts/users/imported-users.ts";
import { addGatewayUser, changeGatewayUser } from "../gateway/gateway-users.ts";
import { moveToGroup } from "../gateway/groups/imported-groups.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { PeerUser } from "./model.ts";
import { moveBalance, moveLimits, opening } from "./move-balance.ts";
import { quotaOfUnits } from "./quota-of-units.ts";
import { digestOf, isSameDigest, type Step } from "./run.ts";
import { shortOf } from "./source/read-values.ts";
import type { Item } from "./store.ts";

/** What administrators of the other programs are given, which would be a password that everyone knows. */
const knownPassword = "123456";

/** The users with their balances. A user who could take an address or a name from another account gets neither. */
export async function moveUsers(step: Step, masterKey: MasterKey): Promise<void> {
  const items = await step.items("user");
  const groups = await step.items("group");
  for (const user of byClaim(step.data.users)) {
    const known = items.get(user.id);
    const digest = digestOf(user);
    const quota = balanceOf(step, user);
    if (known !== undefined && isSameDigest(known.digest, digest) && known.movedQuota === quota) {
      step.counts.unchanged += 1;
      continue;
    }
    const group = groups.get(user.group)?.target ?? null;
    if (group === null) {
      step.counts.leftOut += 1;
      step.note(
        "decide",
        "users",
        user.id,
        `The group ${JSON.stringify(user.group)} was not moved, so its users were not.`,
      );
      continue;
    }
    noteBalance(step, user);
    const { writtenAt, ...target } = await (known === undefined
      ? addUser(step, user, { group, masterKey })
      : changeUser(step, user, { known, group, masterKey }));
    await moveBalance(step, target.gatewayUserId, quota - (known?.movedQuota ?? 0n));
    await step.keep("user", { sourceId: user.id, digest, ...target, movedQuota: quota }, writtenAt);
  }
}

/** Of two users with one address, the one who is active and has more keeps it. */
function byClaim(users: readonly PeerUser[]): readonly PeerUser[] {
  const rank = ({ state }: PeerUser): number => (state === "active" ? 0 : state === "suspended" ? 1 : 2);
  return [...users].sort((a, b) => rank(a) - rank(b) || Number(b.quota > a.quota) - Number(b.quota < a.quota));
}

/** Two billion US dollars. More is a mark for "without a limit", and the sum of a few would not fit into a column. */
const balanceMax = 1_000_000_000_000_000n;

/**
 * What a user's balance is worth here; nothing for an administrator's, unless the operator wants it, and nothing for one that
 * no account can have.
 */
export function balanceOf({ data, options }: Step, user: PeerUser): bigint {
  const worth = quotaOfUnits(user.quota, data.options);
  const isLeftOut = (user.isAdmin && !options.areAdminBalancesMoved) || isTooMuch(worth);
  return isLeftOut ? 0n : worth;
}

const isTooMuch = (quota: bigint): boolean => quota > balanceMax || quota < -balanceMax;

function noteBalance(step: Step, { id, quota, isAdmin }: PeerUser): void {
  const isWanted = !isAdmin || step.options.areAdminBalancesMoved;
  if (isWanted && isTooMuch(quotaOfUnits(quota, step.data.options))) {
    const text = `Its balance of ${quota} units is more than an account can have here: none of it is moved. Grant what is owed by hand.`;
    step.note("decide", "users", id, text);
  }
}

type Means = { readonly group: string; readonly masterKey: MasterKey };
type Target = {
  readonly target: string;
  readonly gatewayUserId: GatewayUserId;
  /** When it was written if it stays as it is here. */
  readonly writtenAt: Date | null;
};

async function addUser(step: Step, user: PeerUser, { group, masterKey }: Means): Promise<Target> {
  const { tx } = step;
  const none = { amount: 0n, changeType: opening };
  const { gatewayUserId } = await addGatewayUser(tx, group, none);
  const userId = await addImportedUser(tx, gatewayUserId, await settingsOf(step, user, null));
  if (user.authenticator !== null) {
    await putImportedAuthenticator(tx, masterKey, userId, user.authenticator);
  }
  if (user.state !== "active") {
    await changeGatewayUser(tx, gatewayUserId, { isEnabled: false });
  }
  await moveLimits(step, gatewayUserId, user.limits);
  noteLosses(step, user);
  step.counts.made += 1;
  return { target: userId.toString(), gatewayUserId, writtenAt: null };
}

async function changeUser(
  step: Step,
  user: PeerUser,
  { known, group, masterKey }: Means & { readonly known: Item },
): Promise<Target> {
  const { gatewayUserId, target, writtenAt } = known;
  if (gatewayUserId === null) {
    throw new Error(`user ${user.id} was moved without an account`);
  }
  const userId = BigInt(target) as UserId;
  const now = await lockImportedUser(step.tx, userId, writtenAt);
  if (now !== null) {
    await changeImportedUser(step.tx, userId, await settingsOf(step, user, { ...now, userId }));
    await putImportedAuthenticator(step.tx, masterKey, userId, user.authenticator);
    await changeGatewayUser(step.tx, gatewayUserId, { isEnabled: user.state === "active" });
    await moveToGroup(step.tx, gatewayUserId, group);
    step.counts.changed += 1;
    return { target, gatewayUserId, writtenAt: null };
  }
  step.counts.kept += 1;
  const kept = "The account was changed here since the last run, so only its balance is brought up to date.";
  if (user.state === "active") {
    step.note("note", "users", user.id, kept);
  } else {
    const state = user.state === "closed" ? "deleted" : "disabled";
    step.note("decide", "users", user.id, `${kept} It is ${state} there: do the same here if it should be.`);
  }
  return { target, gatewayUserId, writtenAt };
}

/** How the account is here now, unless it is new. */
type Now = Pick<ImportedProfile, "email" | "username"> & { readonly userId: UserId };

async function settingsOf(step: Step, user: PeerUser, now: Now | null): Promise<ImportedUser> {
  const username = await usernameOf(step, user, now);
  return {
    email: await addressOf(step, user, username, now),
    username,
    displayName: shortOf(user.displayName, 100) || null,
    passwordHash: await passwordOf(step, user),
    status: user.state,
    isVerified: step.options.areAddressesVerified,
  };
}

/** What accounts have that nobody can reach. */
export const placeholderOf = ({ instance }: Step["options"], userId: string): string =>
  `${instance}-${userId}@imported.invalid`;

/** An address that can't be used is replaced by one that receives nothing, with a note when that happens. */
async function addressOf(step: Step, user: PeerUser, username: string | null, now: Now | null): Promise<string> {
  const placeholder = placeholderOf(step.options, user.id);
  // A deleted user gives its address back.
  const isWanted = user.state !== "closed" && user.email !== "";
  const own = isWanted ? await freeAddress(step.tx, user.email, now?.userId ?? null) : null;
  if (own === null && user.state !== "closed" && now?.email !== placeholder) {
    const why =
      user.email === "" ? "It has no e-mail address" : `Its address ${user.email} is invalid or another account has it`;
    const consequence =
      username === null ? "nobody can log in until an admin enters one" : "and its owner logs in by name";
    step.note("note", "users", user.id, `${why}: no e-mail reaches it, ${consequence}.`);
  }
  return own ?? placeholder;
}

async function usernameOf(step: Step, user: PeerUser, now: Now | null): Promise<string | null> {
  if (user.state === "closed" || user.username === "") {
    return null;
  }
  if (await isFreeUsername(step.tx, user.username, now?.userId ?? null)) {
    return user.username;
  }
  step.note(
    "lost",
    "users",
    user.id,
    `Nobody can log in by the name ${JSON.stringify(user.username)} here: it is taken, or has an @ or spaces.`,
  );
  return null;
}

async function passwordOf(step: Step, { id, passwordHash, isAdmin }: PeerUser): Promise<string | null> {
  if (passwordHash !== null && isAdmin && (await Bun.password.verify(knownPassword, passwordHash))) {
    step.note("lost", "users", id, "It has the password that the program ships with, which is not moved.");
    return null;
  }
  return passwordHash;
}

function noteLosses(step: Step, { id, isAdmin, referralQuota, quota }: PeerUser): void {
  if (isAdmin) {
    const left = step.options.areAdminBalancesMoved
      ? ""
      : ` Its balance of ${quota} units is left out (--admin-balances moves it).`;
    step.note(
      "note",
      "users",
      id,
      `It administers the other program and is a customer here; create an admin for this person.${left}`,
    );
  }
  if (referralQuota !== 0n) {
    step.note(
      "decide",
      "users",
      id,
      `It has ${referralQuota} units of invitation credit beside its balance. Grant it by hand if it is owed.`,
    );
  }
}
