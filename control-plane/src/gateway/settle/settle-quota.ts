import type { Quota } from "@sluice/contracts/money";
import { withMultiplier, withMultiplierAboveOne } from "../../models/cost.ts";
import type { UsageRow } from "../../usage/log/model.ts";
import type { Hold } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";

/** What a row takes from its user's budget: its base cost, and what a multiplier above 1 will add at settlement. */
export function userCharge(row: UsageRow): Quota {
  return withMultiplierAboveOne(row.quota, row.rateMultiplier);
}

/** Turns a hold into the charge of its usage row; the excess is released immediately. */
export function settleQuota(leases: QuotaLeases, hold: Hold, row: UsageRow): void {
  settle(leases, hold, {
    user: userCharge(row),
    key: row.quota,
    shared: withMultiplier(row.quota, row.rateMultiplier),
  });
}

/** Gives back the hold of a call that has no row. */
export function releaseHold(leases: QuotaLeases, hold: Hold): void {
  settle(leases, hold, { user: nothing, key: nothing, shared: nothing });
}

const nothing = 0n as Quota;

type Charges = { readonly user: Quota; readonly key: Quota; readonly shared: Quota };

function settle(leases: QuotaLeases, hold: Hold, charge: Charges): void {
  leases.settle(hold.userBudgetId, hold.userAmount, charge.user);
  if (hold.keyBudgetId !== null) {
    leases.settle(hold.keyBudgetId, hold.keyAmount, charge.key);
  }
  for (const sharedId of hold.sharedBudgetIds) {
    leases.settle(sharedId, hold.userAmount, charge.shared);
  }
}
