import type { GatewayUserId } from "@sluice/contracts/ids";
import { grantQuota, lockUserQuotaIfAny } from "../../gateway/quota/grant-store.ts";
import { findPosted } from "../../ledger/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";

const changeType = "manual_adjust";

export type Adjustment = {
  readonly gatewayUserId: GatewayUserId;
  /** In quota; negative amounts are debits. */
  readonly amount: bigint;
  /** The caller chooses the key. A repetition with the same key has no further effect. */
  readonly idempotencyKey: string;
  readonly isDryRun: boolean;
  readonly mayGoNegative: boolean;
};

export type Adjusted = {
  /** False in a dry run, and when an earlier request with the same key made the adjustment. */
  readonly isNew: boolean;
  /** The number of its ledger posting. */
  readonly reference: string;
  /** The balance before and after; for a repetition both are the current one. */
  readonly remainingBefore: bigint;
  readonly remainingAfter: bigint;
};

/**
 * Credits quota to a user or debits it, on an admin's decision.
 * @throws AppError `not_found` without such a user; `conflict` for a key that was used for something else, and for a
 * balance that does not cover a debit
 */
export async function adjustQuota(tx: Transaction, adjustment: Adjustment): Promise<Adjusted> {
  const { gatewayUserId, amount, isDryRun } = adjustment;
  const quota = await lockUserQuotaIfAny(tx, gatewayUserId);
  if (quota === null) {
    throw notFound("user");
  }
  const reference = `adjust:${adjustment.idempotencyKey}`;
  const posted = await findPosted(tx, changeType, reference);
  if (posted !== null) {
    if (posted.gatewayUserId !== gatewayUserId || posted.amount !== amount) {
      throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another adjustment." });
    }
    return { isNew: false, reference, remainingBefore: quota.remaining, remainingAfter: quota.remaining };
  }
  const remainingAfter = quota.remaining + amount;
  if (amount < 0n && remainingAfter < 0n && !adjustment.mayGoNegative) {
    throw new AppError("conflict", { message: "The balance does not cover this." });
  }
  if (!isDryRun) {
    const isDone = await grantQuota(tx, { budgetId: quota.budgetId, amount, changeType, reference });
    if (!isDone) {
      // An adjustment for another user took the key after our check.
      throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another adjustment." });
    }
  }
  return { isNew: !isDryRun, reference, remainingBefore: quota.remaining, remainingAfter };
}
