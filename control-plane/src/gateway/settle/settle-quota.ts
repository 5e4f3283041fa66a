import type { Quota } from "@sluice/contracts/money";
import { withMultiplier, withMultiplierAboveOne } from "../../models/cost.ts";
import type { UsageRow } from "../../usage/log/model.ts";
import type { Hold } from "../model.ts";
import type { QuotaLeases } from "../quota/leases.ts";

/** What a call costs before the multiplier, and that. */
type Cost = Pick<UsageRow, "quota" | "rateMultiplier">;

/** What a call takes from its user's budget: its base cost, and what a multiplier above 1 will add at settlement. */
export function userCharge({ quota, rateMultiplier }: Cost): Quota {
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
