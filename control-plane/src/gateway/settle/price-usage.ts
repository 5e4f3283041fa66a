import { costOf, shareOfCost } from "../../models/cost.ts";
import { type Amount, toAmount } from "../../platform/amount.ts";
import type { CallEnd, ModelEntry } from "../model.ts";

/** A finished call's cost before the multiplier: nothing if nothing was delivered or the model is unknown. */
export function priceUsage({ usageSource, units, cacheBasisPoints }: CallEnd, model: ModelEntry | null): Amount {
  if (usageSource === "none" || model === null) {
    return 0;
  }
  const cost =
    cacheBasisPoints === undefined
      ? costOf(units, model.price, 1n)
      : shareOfCost(units, model.price, 1n, cacheBasisPoints);
  return toAmount(cost);
}
