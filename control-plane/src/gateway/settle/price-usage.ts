import { costOf, shareOfCost } from "../../models/cost.ts";
import type { Amount } from "../../platform/amount.ts";
import type { CallEnd, ModelEntry } from "../model.ts";

/** A finished call's cost before the multiplier: nothing if nothing was delivered or the model is unknown. */
export function priceUsage({ usageSource, units, cacheBasisPoints }: CallEnd, model: ModelEntry | null): Amount {
  if (usageSource === "none" || model === null) {
    return 0;
  }
  return cacheBasisPoints === undefined
    ? costOf(units, model.price, 1)
    : shareOfCost(units, model.price, 1, cacheBasisPoints);
}
