import type { Quota } from "@sluice/contracts/money";
import { costOf } from "../../models/cost.ts";
import type { CallEnd, ModelEntry } from "../model.ts";

/** A finished call's cost before the multiplier: nothing if nothing was delivered or the model is unknown. */
export function priceUsage(end: CallEnd, model: ModelEntry | null): Quota {
  return end.usageSource === "none" || model === null ? (0n as Quota) : costOf(end.units, model.price, 1n);
}
