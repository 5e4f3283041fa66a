import type { Prices } from "../../models/model.ts";
import type { Units } from "../../models/units.ts";
import { dividedUp } from "../../platform/amount.ts";

/** Models that hear in tokens make at least one per this much audio. */
const msPerHeardToken = 100;

/** The prices that determine the unit in which something is sold. */
export type UnitPrice = Pick<Prices, "input" | "output" | "image" | "audio" | "search">;

/** Audio was counted in a unit that has no price, and is charged by our own count in the other one. */
export type SoldSound = { readonly units: Units; readonly isConverted: boolean };

/**
 * The audio, in the unit that it is sold by: providers count audio by its time or by tokens, and may differ for the
 * same model. A count in a unit without a price would be free.
 * @param reported the count of the provider or another counter
 * @param heard our own count of the same audio
 */
export function asSold(reported: Units, heard: Units, price: Omit<UnitPrice, "image" | "search">): SoldSound {
  const isByTime = price.audio > 0;
  const isByToken = price.input > 0 || price.output > 0;
  const isReportedInTokens = reported.inputTokens > 0 || reported.outputTokens > 0;
  if (isByTime && !isByToken && reported.audioMs === 0 && isReportedInTokens) {
    return { units: { ...reported, audioMs: heard.audioMs }, isConverted: true };
  }
  if (isByToken && !isByTime && reported.inputTokens === 0 && reported.audioMs > 0) {
    const inputTokens = dividedUp(reported.audioMs, msPerHeardToken);
    const outputTokens = reported.outputTokens > 0 ? reported.outputTokens : heard.outputTokens;
    return { units: { ...reported, inputTokens, outputTokens }, isConverted: true };
  }
  return { units: reported, isConverted: false };
}
