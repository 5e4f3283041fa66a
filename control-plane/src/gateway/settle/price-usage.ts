import type { Quota } from "@sluice/contracts/money";
import { costOf } from "../../models/cost.ts";
import type { CallEnd, ModelEntry } from "../model.ts";

/** What the end of a call costs before the multiplier: nothing where nothing was delivered or the model is not known. */
export function priceUsage(end: CallEnd, model: ModelEntry | null): Quota {
  return end.usageSource === "none" || model === null ? (0n as Quota) : costOf(end.units, model.price, 1n);
}
