import { userSaveInput } from "@sluice/contracts/accounts";
import type { UserId } from "@sluice/contracts/ids";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import type { z } from "zod";
import type { Act, ActOrigin } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { findClosing } from "../closing/closing-store.ts";
import { isOpen, type Profile, parseDisplayName, profileFields } from "../model.ts";
import type { GatewayUsers } from "../port.ts";
import { ofUser } from "../sessions/store.ts";
import { findProfile, lockProfile, updateProfile } from "../store.ts";

type ChangedUsers = Pick<GatewayUsers, "change">;
export type UserSaveInput = z.output<typeof userSaveInput>;

const multiplierPattern = /^\d{1,4}(\.\d{1,4})?$/;
const multiplierScale = 4;

/** Changes a user. A lower multiplier is a permanent discount, so it takes two admins. */
export function saveUserAct(gatewayUsers: ChangedUsers): Act<UserSaveInput> {
  return {
    kind: "user.save",
    schema: userSaveInput,
    reasonOf: ({ reason = "" }) => reason,
    perform: async (tx, input, origin) => {
      const { before, after } = await saveUser(tx, gatewayUsers, { input, origin });
      return {
        isNew: true,
        amount: null,
        takesTwo: scaledOf(after.rateMultiplier) < scaledOf(before.rateMultiplier),
        effects: {
          user_email: after.email,
          multiplier_before: before.rateMultiplier,
          multiplier_after: after.rateMultiplier,
          ...(before.status === after.status ? {} : { status_before: before.status, status_after: after.status }),
        },
        finish: async () => ({ user: profileFields(after) }),
      };
    },
  };
}

const scaledOf = (multiplier: Decimal): bigint => decimalToScaled(multiplier, multiplierScale);

/**
 * Changes a user on behalf of an admin. Any status but `active` ends the sessions; one that is not open also stops the
 * API keys, on every replica.
 * @throws AppError `not_found`, `invalid_name`, `invalid_multiplier`, `conflict`
 */
async function saveUser(
  tx: Transaction,
  gatewayUsers: ChangedUsers,
  { input, origin }: { readonly input: UserSaveInput; readonly origin: ActOrigin },
): Promise<{ readonly before: Profile; readonly after: Profile }> {
  const userId = input.user_id as UserId;
  const rateMultiplier = readMultiplier(input.rate_multiplier);
  const displayName = input.display_name === undefined ? undefined : parseDisplayName(input.display_name);
  if (input.display_name !== undefined && displayName === undefined) {
    throw new AppError("invalid_name", { fields: { display_name: "Use at most 100 characters, on one line." } });
  }
  await lockProfile(tx, userId);
  const before = await readUnchanged(tx, input);
  await refuseWhileClosing(tx, input, before);
  const status = input.status ?? before.status;
  await updateProfile(tx, userId, {
    displayName: displayName === undefined ? before.displayName : displayName,
    userType: input.user_type ?? before.userType,
    status,
  });
  await gatewayUsers.change(tx, before.gatewayUserId, {
    ...(input.status === undefined ? {} : { isEnabled: isOpen(status) }),
    ...(rateMultiplier === null ? {} : { rateMultiplier }),
  });
  if (status !== "active") {
    await endAccess(tx, ofUser(userId));
  }
  const after = await readUser(tx, userId);
  await recordAct(tx, origin, {
    action: "user.save",
    subjectKind: "user",
    subjectId: userId.toString(),
    before: shown(before),
    after: shown(after),
    reason: input.reason,
  });
  return { before, after };
}

/** A closed account has nobody who could use it again; closing one is an act of its own, which says what is lost. */
async function refuseWhileClosing(tx: Transaction, { status }: UserSaveInput, before: Profile): Promise<void> {
  if (status === undefined || status === before.status) {
    return;
  }
  if (status === "closed") {
    throw new AppError("conflict", {
      message: "Close the account instead: that shows what will be lost, and can be undone for some days.",
    });
  }
  const closing = await findClosing(tx, before.userId);
  if (closing !== null) {
    const isDone = closing.doneAt !== null;
    throw new AppError("conflict", {
      message: isDone ? "This account is closed for good." : "This account is being closed. Undo that first.",
    });
  }
}

async function readUser(tx: Transaction, userId: UserId): Promise<Profile> {
  const profile = await findProfile(tx, userId);
  if (profile === null) {
    throw notFound("user");
  }
  return profile;
}

/** The user, if nobody has changed it since the admin loaded it. */
async function readUnchanged(tx: Transaction, input: UserSaveInput): Promise<Profile> {
  const { user_id: userId, updated_at: updatedAt } = input;
  const profile = await readUser(tx, userId as UserId);
  if (updatedAt !== undefined && Date.parse(updatedAt) !== profile.updatedAt.getTime()) {
    throw new AppError("conflict");
  }
  return profile;
}

function shown({ displayName, userType, status, rateMultiplier }: Profile): object {
  return { displayName, userType, status, rateMultiplier };
}

/** A multiplier of zero would make everything free; admins grant quota for that. */
function readMultiplier(text: string | undefined): Decimal | null {
  if (text === undefined) {
    return null;
  }
  if (!multiplierPattern.test(text) || scaledOf(text as Decimal) === 0n) {
    const fields = { rate_multiplier: "Enter a number above 0 and below 10000 with at most four decimal places." };
    throw new AppError("invalid_multiplier", { fields });
  }
  return text as Decimal;
}
