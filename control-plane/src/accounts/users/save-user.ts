import type { UserId } from "@sluice/contracts/ids";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import { writeAudit } from "../../audit/service.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { isOpen, type Origin, type Profile, parseDisplayName, type UserStatus, type UserType } from "../model.ts";
import type { GatewayUsers } from "../port.ts";
import { ofUser, revokeSessionsOf } from "../sessions/store.ts";
import { findProfile, lockProfile, updateProfile } from "../store.ts";

export type UserChange = {
  readonly userId: UserId;
  readonly displayName?: string | null | undefined;
  readonly userType?: UserType | undefined;
  readonly status?: UserStatus | undefined;
  readonly rateMultiplier?: string | undefined;
  /** When the user last changed, as the admin saw it; refused if it is not so any more. */
  readonly updatedAt?: string | undefined;
  readonly reason?: string | undefined;
};

const multiplierPattern = /^\d{1,4}(\.\d{1,4})?$/;
const multiplierScale = 4;

/**
 * Changes a user for an admin. Without an open status the sessions end and the API keys stop in every replica.
 * @throws AppError `not_found`, `invalid_name`, `invalid_multiplier`, `conflict`
 */
export async function saveUser(
  { db, gatewayUsers }: { readonly db: Database; readonly gatewayUsers: GatewayUsers },
  change: UserChange,
  admin: AdminCaller,
  origin: Origin,
): Promise<Profile> {
  const rateMultiplier = readMultiplier(change.rateMultiplier);
  const displayName = change.displayName === undefined ? undefined : parseDisplayName(change.displayName);
  if (change.displayName !== undefined && displayName === undefined) {
    throw new AppError("invalid_name", { fields: { display_name: "At most 100 characters in one line." } });
  }
  return await db.withTransaction(async (tx) => {
    await lockProfile(tx, change.userId);
    const before = await readUnchanged(tx, change);
    const status = change.status ?? before.status;
    await updateProfile(tx, change.userId, {
      displayName: displayName === undefined ? before.displayName : displayName,
      userType: change.userType ?? before.userType,
      status,
    });
    await gatewayUsers.change(tx, before.gatewayUserId, {
      ...(change.status === undefined ? {} : { isEnabled: isOpen(status) }),
      ...(rateMultiplier === null ? {} : { rateMultiplier }),
    });
    if (status !== "active") {
      await revokeSessionsOf(tx, ofUser(change.userId), null);
    }
    const after = await readUser(tx, change.userId);
    await writeAudit(tx, {
      actor: { kind: "admin", id: admin.adminId, name: admin.username },
      action: "user.save",
      subjectKind: "user",
      subjectId: change.userId.toString(),
      before: shown(before),
      after: shown(after),
      ...(change.reason === undefined ? {} : { reason: change.reason }),
      requestId: origin.requestId,
      ip: origin.ip,
    });
    return after;
  });
}

async function readUser(tx: Transaction, userId: UserId): Promise<Profile> {
  const profile = await findProfile(tx, userId);
  if (profile === null) {
    throw new AppError("not_found", { message: "There is no such user." });
  }
  return profile;
}

/** The user as the admin saw it. */
async function readUnchanged(tx: Transaction, { userId, updatedAt }: UserChange): Promise<Profile> {
  const profile = await readUser(tx, userId);
  if (updatedAt !== undefined && Date.parse(updatedAt) !== profile.updatedAt.getTime()) {
    throw new AppError("conflict");
  }
  return profile;
}

function shown({ displayName, userType, status, rateMultiplier }: Profile): object {
  return { displayName, userType, status, rateMultiplier };
}

/** Zero would make everything free, which is what a grant of quota is for. */
function readMultiplier(text: string | undefined): Decimal | null {
  if (text === undefined) {
    return null;
  }
  if (!multiplierPattern.test(text) || decimalToScaled(text as Decimal, multiplierScale) === 0n) {
    const fields = { rate_multiplier: "A number above 0 and below 10000 with at most four places." };
    throw new AppError("invalid_multiplier", { fields });
  }
  return text as Decimal;
}
