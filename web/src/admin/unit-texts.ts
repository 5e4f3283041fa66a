import type { CountColumn, PriceColumn, PricedUnit } from "@sluice/contracts/priced-units";
import { known, t } from "./translate.ts";

/** The admin's label for the price of each unit. */
export const priceLabels: Readonly<Record<PriceColumn, string>> = {
  input_usd_per_m: t("Input, USD per M"),
  output_usd_per_m: t("Output, USD per M"),
  cache_read_usd_per_m: t("Cache read, USD per M"),
  cache_write_usd_per_m: t("Cache write, USD per M"),
  reasoning_usd_per_m: t("Reasoning, USD per M"),
  request_usd: t("Per call, USD"),
  image_usd: t("Per image, USD"),
  second_usd: t("Per second of audio, USD"),
  cache_write_1h_usd_per_m: t("Cache write for 1 h, USD per M"),
  search_usd_per_k: t("Per 1,000 searches, USD"),
};

const longPriceLabels: Readonly<Partial<Record<PriceColumn, string>>> = {
  input_usd_per_m: t("Input of long prompts"),
  output_usd_per_m: t("Output of long prompts"),
  cache_read_usd_per_m: t("Cache read of long prompts"),
  cache_write_usd_per_m: t("Cache write of long prompts"),
  reasoning_usd_per_m: t("Reasoning of long prompts"),
  cache_write_1h_usd_per_m: t("Cache write for 1 h of long prompts"),
};

/** The admin's label for the price of a unit in calls with a long prompt. */
export function longPriceLabel(price: PriceColumn): string {
  return longPriceLabels[price] ?? priceLabels[price];
}

/** The admin's label for the count of each unit. */
export const countLabels: Readonly<Record<CountColumn, string>> = {
  input_tokens: t("Input tokens"),
  output_tokens: t("Output tokens"),
  cache_read_tokens: t("Cache reads"),
  cache_write_tokens: t("Cache writes"),
  reasoning_tokens: t("Reasoning tokens"),
  images: t("Images"),
  audio_ms: t("Audio, ms"),
  cache_write_1h_tokens: t("Cache writes for 1 h"),
  searches: t("Searches"),
};

/** The meaning of an empty price; null if it is required. */
export function unpricedText({ unpriced, partOf, atLeast }: PricedUnit): string | null {
  const asWhole =
    atLeast === null
      ? t("same as {partOf}", { partOf: partOf === null ? "" : known(partOf) })
      : t("the higher of {partOf} and {atLeast}", {
          partOf: partOf === null ? "" : known(partOf),
          atLeast: known(atLeast.replace("_", " ")),
        });
  const texts = { refused: null, free: "0", as_whole: asWhole };
  return texts[unpriced];
}
