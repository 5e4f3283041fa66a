import type { GatewayUserId } from "@sluice/contracts/ids";
import type { ResetPeriod } from "@sluice/contracts/key-fields";
import type { Transaction } from "../../platform/db.ts";
import { grantQuota } from "../quota/grant-store.ts";
import {
  insertLimitBudget,
  type LimitOwner,
  liftBudget,
  lockLimitBudget,
  recallIdleLeases,
  restartBudget,
} from "./limit-budget-store.ts";
import { lockUser, revokeKeysOfMember } from "./settings-store.ts";

export type QuotaLimit = { readonly quota: bigint; readonly period: ResetPeriod };

/**
 * Adjusts the budget of a key, a project or a member to its limit, by grants with references of their own. What was used stays used, and if
 * that is more than the new limit, nothing is left. A limit with another period, or the first one, counts from now on.
 * If the limit is removed, the budget remains for the calls that began under it.
 */
export async function setQuotaLimit(tx: Transaction, owner: LimitOwner, limit: QuotaLimit | null): Promise<void> {
  const known = await lockLimitBudget(tx, owner);
  if (limit === null) {
    if (known?.isEnforced === true) {
      await liftBudget(tx, known.budgetId);
    }
    return;
  }
  const budget = known ?? (await insertLimitBudget(tx, owner, limit.period));
  const { budgetId } = budget;
  if (!budget.isEnforced || budget.period !== limit.period) {
    await restartBudget(tx, budgetId, limit.period);
  }
  const amount = limit.quota - budget.granted;
  if (amount !== 0n) {
    const reference = `key_limit:${budgetId}:${budget.grants + 1n}`;
    await grantQuota(tx, { budgetId, amount, changeType: "key_limit", reference });
  }
  if (amount < 0n) {
    await recallIdleLeases(tx, budgetId);
  }
}

/**
 * Makes changes of an account's keys wait, so that none is made meanwhile. Who makes a key locks the account before the
 * member, so who changes a member does as well.
 */
export async function lockKeys(tx: Transaction, gatewayUserId: GatewayUserId): Promise<void> {
  await lockUser(tx, gatewayUserId);
}

/** Ends the keys of a member who leaves an organisation whose keys are locked. Returns how many ended. */
export async function endKeysOfMember(tx: Transaction, memberId: bigint): Promise<number> {
  return await revokeKeysOfMember(tx, memberId);
}
