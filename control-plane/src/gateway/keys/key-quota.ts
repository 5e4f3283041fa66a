import type { ApiKeyId } from "@sluice/contracts/ids";
import type { ResetPeriod } from "@sluice/contracts/key-fields";
import type { Transaction } from "../../platform/db.ts";
import { grantQuota } from "../quota/grant-store.ts";
import { insertKeyBudget, liftBudget, lockKeyBudget, recallIdleLeases, restartBudget } from "./settings-store.ts";

export type QuotaLimit = { readonly quota: bigint; readonly period: ResetPeriod };

/**
 * Adjusts the budget of a key to its limit, by grants with references of their own. What was used stays used, and if
 * that is more than the new limit, nothing is left. A limit with another period, or the first one, counts from now on.
 * If the limit is removed, the budget remains for the calls that began under it.
 */
export async function setQuotaLimit(tx: Transaction, limitKeyId: ApiKeyId, limit: QuotaLimit | null): Promise<void> {
  const known = await lockKeyBudget(tx, limitKeyId);
  if (limit === null) {
    if (known?.isEnforced === true) {
      await liftBudget(tx, known.budgetId);
    }
    return;
  }
  const budget = known ?? (await insertKeyBudget(tx, limitKeyId, limit.period));
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
