import type { Quota } from "@sluice/contracts/money";
import { withMultiplierAboveOne } from "../../models/cost.ts";
import type { UsageRow } from "../../usage/log/model.ts";
import type { Hold } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";

/** What a row takes from its user's budget: its base cost, and what a multiplier above 1 will add at settlement. */
export function userCharge(row: UsageRow): Quota {
  return withMultiplierAboveOne(row.quota, row.rateMultiplier);
}

/** Turns a hold into the charge of its usage row; the excess is released at once. */
export function settleQuota(leases: QuotaLeases, hold: Hold, row: UsageRow): void {
  leases.settle(hold.userBudgetId, hold.userAmount, userCharge(row));
  if (hold.keyBudgetId !== null) {
    leases.settle(hold.keyBudgetId, hold.keyAmount, row.quota);
  }
}
