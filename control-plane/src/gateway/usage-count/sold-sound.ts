import type { Prices } from "../../models/model.ts";
import type { Units } from "../../models/units.ts";

/** Models that hear in tokens make at least one per this much audio. */
const msPerHeardToken = 100n;

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
  const isByTime = price.audio > 0n;
  const isByToken = price.input > 0n || price.output > 0n;
  const isReportedInTokens = reported.inputTokens > 0n || reported.outputTokens > 0n;
  if (isByTime && !isByToken && reported.audioMs === 0n && isReportedInTokens) {
    return { units: { ...reported, audioMs: heard.audioMs }, isConverted: true };
  }
  if (isByToken && !isByTime && reported.inputTokens === 0n && reported.audioMs > 0n) {
    const inputTokens = (reported.audioMs + msPerHeardToken - 1n) / msPerHeardToken;
    const outputTokens = reported.outputTokens > 0n ? reported.outputTokens : heard.outputTokens;
    return { units: { ...reported, inputTokens, outputTokens }, isConverted: true };
  }
  return { units: reported, isConverted: false };
}
