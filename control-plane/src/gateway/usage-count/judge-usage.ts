import { noUnits, type Units } from "../../models/units.ts";
import { atMost } from "./units.ts";

/** What a call was let in for, and the most that can be true of it. */
export type UsageLimits = {
  /** Our own count never says more. */
  readonly held: Units;
  /** What anybody says beyond this is not believed, see `plausibleUnits`. */
  readonly most: Units;
};

/**
 * The part of a count that can be true: what is beyond it is not booked.
 * @returns the units, and whether anything was cut off them
 */
export function bookable(
  told: Units,
  { most }: UsageLimits,
): { readonly units: Units; readonly isImplausible: boolean } {
  const isPlausible =
    told.inputTokens <= most.inputTokens &&
    told.outputTokens <= most.outputTokens &&
    told.audioMs <= most.audioMs &&
    told.images <= most.images;
  return isPlausible ? { units: told, isImplausible: false } : { units: cut(told, most), isImplausible: true };
}

/** Our own count of what was not reported. It charges no more than was set aside. */
export function withinHeld(counted: Units, { held, most }: UsageLimits): Units {
  return cut(counted, { ...held, images: most.images });
}

/** What was reported without an output, with our own count of that, and of the input if none was named. */
export function withOutput(told: Units, own: Units, limits: UsageLimits): Units {
  const inputTokens = told.inputTokens > 0n ? told.inputTokens : own.inputTokens;
  return bookable({ ...told, inputTokens, outputTokens: own.outputTokens }, limits).units;
}

function cut(units: Units, most: Units): Units {
  const inputTokens = atMost(units.inputTokens, most.inputTokens);
  const outputTokens = atMost(units.outputTokens, most.outputTokens);
  const cacheReadTokens = atMost(units.cacheReadTokens, inputTokens);
  return {
    ...noUnits,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: atMost(units.cacheWriteTokens, inputTokens - cacheReadTokens),
    reasoningTokens: atMost(units.reasoningTokens, outputTokens),
    images: Math.min(units.images, most.images),
    audioMs: atMost(units.audioMs, most.audioMs),
  };
}
