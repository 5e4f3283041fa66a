import type { Decimal } from "@sluice/contracts/money";
import { withMultiplier, withMultiplierAboveOne } from "../../models/cost.ts";
import type { Amount } from "../../platform/amount.ts";
import type { Hold } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";

/** What a call costs before the multiplier, and that. */
type Cost = { readonly quota: Amount; readonly rateMultiplier: Decimal };

/** What a call takes from its user's budget: its base cost, and what a multiplier above 1 will add at settlement. */
export function userCharge({ quota, rateMultiplier }: Cost): Amount {
  return withMultiplierAboveOne(quota, rateMultiplier);
}

/** What a call takes from each of its budgets. */
export type Charges = { readonly user: Amount; readonly key: Amount; readonly shared: Amount };

const nothing: Charges = { user: 0, key: 0, shared: 0 };

export function chargesOf(cost: Cost): Charges {
  return {
    user: userCharge(cost),
    key: cost.quota,
    shared: withMultiplier(cost.quota, cost.rateMultiplier),
  };
}

/** Gives back the hold of a call that has no row. */
export function releaseHold(leases: QuotaLeases, hold: Hold): void {
  settleQuota(leases, hold, nothing);
}

/** Turns the hold of a call into its charges; the excess is released immediately. A budget that fails keeps nothing of the others. */
export function settleQuota(leases: QuotaLeases, hold: Hold, charges: Charges): void {
  try {
    leases.settle(hold.userBudgetId, hold.userAmount, charges.user);
  } finally {
    settleOthers(leases, hold, charges);
  }
}

function settleOthers(leases: QuotaLeases, hold: Hold, charges: Charges): void {
  try {
    if (hold.keyBudgetId !== null) {
      leases.settle(hold.keyBudgetId, hold.keyAmount, charges.key);
    }
  } finally {
    for (const sharedId of hold.sharedBudgetIds) {
      leases.settle(sharedId, hold.userAmount, charges.shared);
    }
  }
}
