import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { type ReferralEntry, referralCodeShape } from "@sluice/contracts/referrals";
import type { Database, Transaction } from "../../platform/db.ts";
import { findCode, findInviter, insertCode, insertReferral, type Referral } from "./referral-store.ts";
import { quotaOfCents, type ReferralRules } from "./reward-referrals.ts";

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeLetters = 10;
const triesMax = 5;

function makeCode(): string {
  return [...randomBytes(codeLetters)].map((byte) => letters[byte % letters.length]).join("");
}

/** The code of a user's link; created when it is first requested. */
export async function codeOf(db: Database, userId: UserId): Promise<string> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const known = await findCode(db, userId);
    if (known !== null) {
      return known;
    }
    await insertCode(db, userId, makeCode());
  }
  throw new Error("no code for a referral was free");
}

/**
 * Remembers by whose link a new user came, on the current terms; called in the transaction of the registration. A code
 * that nobody has changes nothing.
 */
export async function recordReferral(
  tx: Transaction,
  rules: ReferralRules,
  { invitedId, code }: { readonly invitedId: UserId; readonly code: string },
): Promise<void> {
  if (!rules.isOn || !referralCodeShape.test(code)) {
    return;
  }
  const inviterId = await findInviter(tx, code);
  if (inviterId === null || inviterId === invitedId) {
    return;
  }
  await insertReferral(tx, {
    ...{ inviterId, invitedId, waitDays: rules.waitDays },
    inviterQuota: quotaOfCents(rules.inviterCents),
    invitedQuota: quotaOfCents(rules.invitedCents),
  });
}

/** An address with only its first letter and the domain shown. */
export function maskedAddress(email: string): string {
  const [name = "", domain = ""] = email.split("@");
  return `${[...name][0] ?? ""}•••@${domain}`;
}

export function referralEntry(referral: Referral & { readonly email: string }): ReferralEntry {
  return {
    who: maskedAddress(referral.email),
    state: referral.state,
    reward_quota: referral.inviterQuota,
    registered_at: referral.createdAt,
    decided_at: referral.decidedAt,
  };
}
