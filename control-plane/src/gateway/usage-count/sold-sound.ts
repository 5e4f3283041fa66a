import type { Prices } from "../../models/model.ts";
import type { Units } from "../../models/units.ts";

/** Models that hear in tokens make at least one of so much sound. */
const msPerHeardToken = 100n;

/** The prices that say in which unit something is sold. */
export type UnitPrice = Pick<Prices, "input" | "output" | "image" | "audio">;

/** Sound was counted in a unit that has no price, and is charged by our own count of the other one. */
export type SoldSound = { readonly units: Units; readonly isConverted: boolean };

/**
 * The audio, in the unit that it is sold by: providers count audio by its time or by tokens, and may differ for the
 * same model. A count in a unit without a price would be free.
 * @param told the count of the provider or another counter
 * @param heard our own count of the same audio
 */
export function asSold(told: Units, heard: Units, price: Omit<UnitPrice, "image">): SoldSound {
  const isByTime = price.audio > 0n;
  const isByToken = price.input > 0n || price.output > 0n;
  const isToldInTokens = told.inputTokens > 0n || told.outputTokens > 0n;
  if (isByTime && !isByToken && told.audioMs === 0n && isToldInTokens) {
    return { units: { ...told, audioMs: heard.audioMs }, isConverted: true };
  }
  if (isByToken && !isByTime && told.inputTokens === 0n && told.audioMs > 0n) {
    const inputTokens = (told.audioMs + msPerHeardToken - 1n) / msPerHeardToken;
    const outputTokens = told.outputTokens > 0n ? told.outputTokens : heard.outputTokens;
    return { units: { ...told, inputTokens, outputTokens }, isConverted: true };
  }
  return { units: told, isConverted: false };
}
