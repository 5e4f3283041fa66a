import { type SaveGroupInput, saveGroupInput } from "@sluice/contracts/groups";
import { type Decimal, decimalToScaled, scaledToDecimal } from "@sluice/contracts/money";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { refuseArchived } from "./require-group.ts";
import {
  clearStart,
  findGroupOfDomains,
  type Group,
  type GroupSettings,
  insertGroup,
  lockGroup,
  lockGroups,
  updateGroup,
} from "./store.ts";

const multiplierScale = 6;
const scaledOf = (multiplier: Decimal): bigint => decimalToScaled(multiplier, multiplierScale);
const one = 10n ** BigInt(multiplierScale);

/** The multiplier without trailing zeros. */
export const shownMultiplier = (multiplier: Decimal): Decimal => scaledToDecimal(scaledOf(multiplier), multiplierScale);

/** A group as responses and the audit log have it. */
export function groupEntry(group: Group) {
  return {
    name: group.name,
    description: group.description,
    multiplier: shownMultiplier(group.multiplier),
    visibility: group.visibility,
    rank: group.rank,
    is_start: group.isStart,
    email_domains: group.emailDomains,
    archived_at: group.archivedAt,
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  };
}

/** Creating or changing a group. What makes calls cheaper for its users is a discount, so it takes two admins. */
export function groupAct(): Act<SaveGroupInput> {
  return {
    kind: "group.save",
    schema: saveGroupInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { before, after } = await saveGroup(tx, input);
      const what = { action: "group.save", subjectKind: "group", subjectId: after.name };
      const entry = groupEntry(after);
      const was = before === null ? null : groupEntry(before);
      await recordAct(tx, origin, { ...what, before: was, after: entry, reason: input.reason });
      return {
        isNew: true,
        amount: null,
        takesTwo: isDiscount(before, after),
        effects: {
          group: after.name,
          ...(was === null ? {} : { multiplier_before: was.multiplier }),
          multiplier_after: entry.multiplier,
          visibility: after.visibility,
        },
        finish: async () => ({ group: entry }),
      };
    },
  };
}

/** Whether someone's calls may cost less from now on. */
export function isDiscount(before: GroupSettings | null, after: GroupSettings): boolean {
  const isCheap = scaledOf(after.multiplier) < one;
  const isCheaper = before !== null && scaledOf(after.multiplier) < scaledOf(before.multiplier);
  const isOpened = after.visibility === "public" && before?.visibility !== "public";
  // Another rank lets users have another group, which can be cheaper than the one before it or after it. So can the group
  // in which accounts start.
  const isMoved = before !== null && after.rank !== before.rank;
  const startsMore =
    (after.isStart && before?.isStart !== true) ||
    after.emailDomains.some((domain) => before?.emailDomains.includes(domain) !== true);
  return isCheaper || isMoved || startsMore || (isCheap && isOpened);
}

/** Whether a multiplier is below another one. */
export function isBelow(multiplier: Decimal, other: Decimal): boolean {
  return scaledOf(multiplier) < scaledOf(other);
}

/**
 * Creates a group, or changes the one that was loaded at `updated_at`.
 * @throws AppError `conflict` when it already exists or was changed since, and those of its rules for new accounts
 */
async function saveGroup(
  tx: Transaction,
  input: SaveGroupInput,
): Promise<{ readonly before: Group | null; readonly after: Group }> {
  const { name, description, visibility, rank, is_start: isStart } = input;
  const emailDomains = [...new Set(input.email_domains)];
  const multiplier = input.multiplier as Decimal;
  const settings = { name, description, multiplier, visibility, rank, isStart, emailDomains };
  // One change after the other, because a change of one group may be one of others, too.
  await lockGroups(tx);
  const before = await lockGroup(tx, name);
  refuseArchived(before);
  const loaded = input.updated_at === undefined ? null : Date.parse(input.updated_at);
  if ((before?.updatedAt.getTime() ?? null) !== loaded) {
    throw new AppError("conflict");
  }
  await checkStart(tx, before, settings);
  if (isStart && before?.isStart !== true) {
    await clearStart(tx);
  }
  if (before !== null) {
    await updateGroup(tx, settings);
  } else if (!(await insertGroup(tx, settings))) {
    throw new AppError("conflict");
  }
  const after = await lockGroup(tx, name);
  if (after === null) {
    throw new Error(`group ${name} is missing after it was saved`);
  }
  return { before, after };
}

/** @throws AppError `invalid_value` if accounts would start nowhere, or in two groups */
async function checkStart(
  tx: Transaction,
  before: Group | null,
  { name, isStart, emailDomains }: GroupSettings,
): Promise<void> {
  if (before?.isStart === true && !isStart) {
    const fields = { is_start: "New accounts have to start somewhere: let them start in another group instead." };
    throw new AppError("invalid_value", { fields });
  }
  const other = emailDomains.length === 0 ? null : await findGroupOfDomains(tx, emailDomains, name);
  if (other !== null) {
    throw new AppError("invalid_value", { fields: { email_domains: `The group ${other} has one of these domains.` } });
  }
}
