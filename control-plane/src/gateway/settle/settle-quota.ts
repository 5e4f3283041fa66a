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

/** Turns the hold of a call into its charge; the excess is released immediately. */
export function settleQuota(leases: QuotaLeases, hold: Hold, cost: Cost): void {
  settle(leases, hold, {
    user: userCharge(cost),
    key: cost.quota,
    shared: withMultiplier(cost.quota, cost.rateMultiplier),
  });
}

/** Gives back the hold of a call that has no row. */
export function releaseHold(leases: QuotaLeases, hold: Hold): void {
  settle(leases, hold, { user: 0, key: 0, shared: 0 });
}

type Charges = { readonly user: Amount; readonly key: Amount; readonly shared: Amount };

function settle(leases: QuotaLeases, hold: Hold, charge: Charges): void {
  leases.settle(hold.userBudgetId, hold.userAmount, charge.user);
  if (hold.keyBudgetId !== null) {
    leases.settle(hold.keyBudgetId, hold.keyAmount, charge.key);
  }
  for (const sharedId of hold.sharedBudgetIds) {
    leases.settle(sharedId, hold.userAmount, charge.shared);
  }
}
