import type { ApiKeyId } from "@sluice/contracts/ids";
import type { ResetPeriod } from "@sluice/contracts/keys";
import type { Transaction } from "../../platform/db.ts";
import { grantQuota } from "../quota/store.ts";
import { insertKeyBudget, liftBudget, lockKeyBudget, recallIdleLeases, restartBudget } from "./settings-store.ts";

export type QuotaLimit = { readonly quota: bigint; readonly period: ResetPeriod };

/**
 * Brings the budget of a key to its limit, in grants with references of their own. What was used of it stays used, and when
 * that is more than the new limit, nothing is left. A limit of other periods, or after there was none, counts from now on.
 * Without a limit the budget stays for the calls that began under it.
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
