import {
  type AssignGroupInput,
  assignGroupInput,
  type RemoveGroupInput,
  removeGroupInput,
} from "@sluice/contracts/groups";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { requireLockedGroup } from "./require-group.ts";
import { isBelow, shownMultiplier } from "./save-group.ts";
import { deleteMember, type Group, lockMembers, type MemberUser, putMember, setAccountGroup } from "./store.ts";

/** Putting users into a group. One that is cheaper than what a user has is a discount, so it takes two admins. */
export function assignGroupAct(): Act<AssignGroupInput> {
  return {
    kind: "group.assign",
    schema: assignGroupInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const group = await requireLockedGroup(tx, input.group_name);
      checkEnd(input);
      const users = await requireUsers(tx, input.users);
      const isCheaperLater = await endsDearer(tx, users, input);
      for (const user of users) {
        const { before, after } = await assign(tx, user, input);
        await recordAct(tx, origin, {
          ...{ action: "group.assign", subjectKind: "user", subjectId: user.userId.toString() },
          ...{ before, after, reason: input.reason },
        });
      }
      return {
        isNew: true,
        amount: null,
        takesTwo: isCheaperLater || users.some((user) => isCheaper(group, user, input)),
        effects: {
          group: group.name,
          multiplier_after: shownMultiplier(group.multiplier),
          users: namesOf(users),
        },
        finish: async () => ({ changed: users.length }),
      };
    },
  };
}

/** Whether a user's calls may cost less than now, or than later, when a cheap group that the user has now has ended. */
function isCheaper({ multiplier }: Group, user: MemberUser, { ends_at: endsAt }: AssignGroupInput): boolean {
  const isLonger = user.endsAt !== null && (endsAt === null || Date.parse(endsAt) > user.endsAt.getTime());
  return isBelow(multiplier, user.multiplier) || (isLonger && isBelow(multiplier, user.ownMultiplier));
}

/**
 * Whether a group that some user has now gets an earlier end, and leaves that user with a cheaper one: taking it away
 * under another name. Leaves those users without the group, which the caller assigns again.
 */
async function endsDearer(
  tx: Transaction,
  users: readonly MemberUser[],
  { group_name: groupName, as, ends_at: endsAt }: AssignGroupInput,
): Promise<boolean> {
  if (as === "account" || endsAt === null) {
    return false;
  }
  const endMs = Date.parse(endsAt);
  const shortened = users.filter(
    (user) => user.groupName === groupName && endMs < (user.endsAt?.getTime() ?? Infinity),
  );
  for (const { gatewayUserId } of shortened) {
    await deleteMember(tx, gatewayUserId, groupName);
  }
  return shortened.length > 0 && (await areCheaper(tx, shortened));
}

/** Whether any of the users has a lower multiplier by now. */
async function areCheaper(tx: Transaction, users: readonly MemberUser[]): Promise<boolean> {
  const left = await lockMembers(tx, { ids: users.map(({ userId }) => userId), addresses: [] });
  const now = new Map(left.map(({ userId, multiplier }) => [userId, multiplier]));
  return users.some(({ userId, multiplier }) => isBelow(now.get(userId) ?? multiplier, multiplier));
}

const namedMax = 10;

function namesOf(users: readonly MemberUser[]): string {
  const named = users.slice(0, namedMax).map(({ email }) => email);
  return [...named, ...(users.length > namedMax ? [`and ${users.length - namedMax} more`] : [])].join(", ");
}

type Change = { readonly before: object; readonly after: object };

async function assign(
  tx: Transaction,
  { gatewayUserId }: MemberUser,
  { group_name: groupName, as, ends_at: endsAt }: AssignGroupInput,
): Promise<Change> {
  if (as === "account") {
    const before = await setAccountGroup(tx, gatewayUserId, groupName);
    return { before: { group_name: before }, after: { group_name: groupName, as } };
  }
  await putMember(tx, { gatewayUserId, groupName, endsAt: endsAt === null ? null : new Date(endsAt) });
  return { before: {}, after: { group_name: groupName, as, ends_at: endsAt } };
}

/**
 * Takes a group away again. An account's own group can only be replaced. Who is left with a cheaper one gets a discount,
 * so that takes two admins.
 */
export function removeGroupAct(): Act<RemoveGroupInput> {
  return {
    kind: "group.remove",
    schema: removeGroupInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { group_name: groupName, reason } = input;
      await requireLockedGroup(tx, groupName);
      const users = await requireUsers(tx, input.users);
      let changed = 0;
      for (const { userId, gatewayUserId } of users) {
        if (await deleteMember(tx, gatewayUserId, groupName)) {
          changed += 1;
          await recordAct(tx, origin, {
            ...{ action: "group.remove", subjectKind: "user", subjectId: userId.toString() },
            ...{ before: { group_name: groupName }, after: null, reason },
          });
        }
      }
      return {
        isNew: true,
        amount: null,
        takesTwo: await areCheaper(tx, users),
        effects: { group: groupName, users: namesOf(users) },
        finish: async () => ({ changed }),
      };
    },
  };
}

/** All of the users, or nothing is changed. */
async function requireUsers(tx: Transaction, named: readonly string[]): Promise<MemberUser[]> {
  const names = [...new Set(named.map((name) => name.toLowerCase()))];
  const isId = (name: string): boolean => /^[1-9]\d{0,17}$/.test(name);
  const ids = names.filter(isId).map(BigInt);
  const users = await lockMembers(tx, { ids, addresses: names.filter((name) => !isId(name)) });
  const known = new Set(users.flatMap(({ userId, email }) => [userId.toString(), email.toLowerCase()]));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) {
    throw new AppError("not_found", { message: `The user ${missing} does not exist.` });
  }
  return users;
}

function checkEnd({ as, ends_at: endsAt }: AssignGroupInput): void {
  if (as === "account" && endsAt !== null) {
    throw new AppError("invalid_value", { fields: { ends_at: "An account's own group has no end." } });
  }
}
