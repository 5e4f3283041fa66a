import type { Quota } from "@sluice/contracts/money";
import { costOf, shareOfCost } from "../../models/cost.ts";
import type { CallEnd, ModelEntry } from "../model.ts";

/** A finished call's cost before the multiplier: nothing if nothing was delivered or the model is unknown. */
export function priceUsage({ usageSource, units, cacheBasisPoints }: CallEnd, model: ModelEntry | null): Quota {
  if (usageSource === "none" || model === null) {
    return 0n as Quota;
  }
  return cacheBasisPoints === undefined
    ? costOf(units, model.price, 1n)
    : shareOfCost(units, model.price, 1n, cacheBasisPoints);
}
