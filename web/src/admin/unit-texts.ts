import type { CountColumn, PriceColumn, PricedUnit } from "@sluice/contracts/priced-units";

/** The admin's label for the price of each unit. */
export const priceLabels: Readonly<Record<PriceColumn, string>> = {
  input_usd_per_m: "Input, USD per M",
  output_usd_per_m: "Output, USD per M",
  cache_read_usd_per_m: "Cache read, USD per M",
  cache_write_usd_per_m: "Cache write, USD per M",
  reasoning_usd_per_m: "Reasoning, USD per M",
  request_usd: "Per call, USD",
  image_usd: "Per image, USD",
  second_usd: "Per second of audio, USD",
  cache_write_1h_usd_per_m: "Cache write for 1 h, USD per M",
  search_usd_per_k: "Per 1,000 searches, USD",
};

/** The admin's label for the price of a unit in calls with a long prompt. */
export function longPriceLabel(price: PriceColumn): string {
  return priceLabels[price].replace(", USD per M", " of long prompts");
}

/** The admin's label for the count of each unit. */
export const countLabels: Readonly<Record<CountColumn, string>> = {
  input_tokens: "Input tokens",
  output_tokens: "Output tokens",
  cache_read_tokens: "Cache reads",
  cache_write_tokens: "Cache writes",
  reasoning_tokens: "Reasoning tokens",
  images: "Images",
  audio_ms: "Audio, ms",
  cache_write_1h_tokens: "Cache writes for 1 h",
  searches: "Searches",
};

/** The meaning of an empty price; null if it is required. */
export function unpricedText({ unpriced, partOf, atLeast }: PricedUnit): string | null {
  const asWhole = atLeast === null ? `same as ${partOf}` : `the higher of ${partOf} and ${atLeast.replace("_", " ")}`;
  const texts = { refused: null, free: "0", as_whole: asWhole };
  return texts[unpriced];
}
