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
import {
  deleteMember,
  type Group,
  lockMembers,
  type MemberAccount,
  putMember,
  readGroups,
  setAccountGroup,
} from "./store.ts";

/** Putting accounts into a group. One that is cheaper than what an account has is a discount, so it takes two admins. */
export function assignGroupAct(): Act<AssignGroupInput> {
  return {
    kind: "group.assign",
    schema: assignGroupInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const group = await requireLockedGroup(tx, input.group_name);
      checkEnd(input);
      const accounts = await requireAccounts(tx, input);
      const isCheaperLater = await endsDearer(tx, accounts, input);
      for (const account of accounts) {
        const { before, after } = await assign(tx, account, input);
        await recordAct(tx, origin, {
          ...{ action: "group.assign", subjectKind: account.ownerKind, subjectId: account.ownerId.toString() },
          ...{ before, after, reason: input.reason },
        });
      }
      return {
        isNew: true,
        amount: null,
        takesTwo: isCheaperLater || accounts.some((account) => isCheaper(group, account, input)),
        effects: {
          group: group.name,
          multiplier_after: shownMultiplier(group.multiplier),
          users: namesOf(accounts),
        },
        finish: async () => ({ changed: accounts.length }),
      };
    },
  };
}

/** Whether an account's calls may cost less than now, or than later, when a cheap group that it has now has ended. */
function isCheaper({ multiplier }: Group, account: MemberAccount, { ends_at: endsAt }: AssignGroupInput): boolean {
  const isLonger = account.endsAt !== null && (endsAt === null || Date.parse(endsAt) > account.endsAt.getTime());
  return isBelow(multiplier, account.multiplier) || (isLonger && isBelow(multiplier, account.ownMultiplier));
}

/**
 * Whether a group that some account has now gets an earlier end, and leaves that account with a cheaper one: taking it
 * away under another name. Leaves those accounts without the group, which the caller assigns again.
 */
async function endsDearer(
  tx: Transaction,
  accounts: readonly MemberAccount[],
  { group_name: groupName, as, ends_at: endsAt }: AssignGroupInput,
): Promise<boolean> {
  if (as === "account" || endsAt === null) {
    return false;
  }
  const endMs = Date.parse(endsAt);
  const shortened = accounts.filter(
    (account) => account.groupName === groupName && endMs < (account.endsAt?.getTime() ?? Infinity),
  );
  for (const { gatewayUserId } of shortened) {
    await deleteMember(tx, gatewayUserId, groupName);
  }
  return shortened.length > 0 && (await areCheaper(tx, shortened));
}

/** Whether any of the accounts has a lower multiplier by now. */
async function areCheaper(tx: Transaction, accounts: readonly MemberAccount[]): Promise<boolean> {
  const left = await readGroups(tx, accounts);
  const now = new Map(left.map(({ gatewayUserId, multiplier }) => [gatewayUserId, multiplier]));
  return accounts.some(({ gatewayUserId, multiplier }) => isBelow(now.get(gatewayUserId) ?? multiplier, multiplier));
}

const namedMax = 10;

function namesOf(accounts: readonly MemberAccount[]): string {
  const named = accounts.slice(0, namedMax).map(({ name }) => name);
  return [...named, ...(accounts.length > namedMax ? [`and ${accounts.length - namedMax} more`] : [])].join(", ");
}

type Change = { readonly before: object; readonly after: object };

async function assign(
  tx: Transaction,
  { gatewayUserId }: MemberAccount,
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
      const accounts = await requireAccounts(tx, input);
      let changed = 0;
      for (const { ownerKind, ownerId, gatewayUserId } of accounts) {
        if (await deleteMember(tx, gatewayUserId, groupName)) {
          changed += 1;
          await recordAct(tx, origin, {
            ...{ action: "group.remove", subjectKind: ownerKind, subjectId: ownerId.toString() },
            ...{ before: { group_name: groupName }, after: null, reason },
          });
        }
      }
      return {
        isNew: true,
        amount: null,
        takesTwo: await areCheaper(tx, accounts),
        effects: { group: groupName, users: namesOf(accounts) },
        finish: async () => ({ changed }),
      };
    },
  };
}

type Named = Pick<AssignGroupInput, "users" | "organisations">;

/**
 * The accounts of all users and organisations that are named.
 * @throws AppError `not_found` if one does not exist, `invalid_value` for none at all
 */
async function requireAccounts(tx: Transaction, named: Named): Promise<MemberAccount[]> {
  const names = [...new Set(named.users.map((name) => name.toLowerCase()))];
  const organisations = [...new Set(named.organisations)];
  if (names.length + organisations.length === 0) {
    throw new AppError("invalid_value", { fields: { users: "Name at least one user or organisation." } });
  }
  const isId = (name: string): boolean => /^[1-9]\d{0,17}$/.test(name);
  const ids = names.filter(isId).map(BigInt);
  const accounts = await lockMembers(tx, { ids, addresses: names.filter((name) => !isId(name)), organisations });
  const known = (kind: MemberAccount["ownerKind"]) => accounts.filter(({ ownerKind }) => ownerKind === kind);
  const users = new Set(known("user").flatMap(({ ownerId, name }) => [ownerId.toString(), name.toLowerCase()]));
  const missing = names.find((name) => !users.has(name));
  if (missing !== undefined) {
    throw new AppError("not_found", { message: `The user ${missing} does not exist.` });
  }
  const found = new Set(known("organisation").map(({ ownerId }) => ownerId));
  const lost = organisations.find((id) => !found.has(id));
  if (lost !== undefined) {
    throw new AppError("not_found", { message: `The organisation ${lost} does not exist.` });
  }
  return accounts;
}

function checkEnd({ as, ends_at: endsAt }: AssignGroupInput): void {
  if (as === "account" && endsAt !== null) {
    throw new AppError("invalid_value", { fields: { ends_at: "An account's own group has no end." } });
  }
}
