import type { ModelPrice, PriceOptions, Provider } from "@pydantic/genai-prices";
import { ceilDivide, scaledToDecimal } from "@sluice/contracts/money";
import { type LongPromptPrices, priceColumns, tokenPrices } from "@sluice/contracts/priced-units";
import type { FindPrices, KnownPrices, PriceTextsOf } from "./model.ts";

/** The version of the package that the prices come from, and the day on which it was published. */
export const priceData = { name: "@pydantic/genai-prices", version: "0.1.8", date: "2026-09-23" } as const;

/** More decimal places than the data has, and those that a price in the catalog may have. */
const dataPlaces = 12;
const pricePlaces = 8;

/** The prices of the data that a call is charged by: its unit, ours, and how many of ours one of the data's holds. */
const pricedBy: readonly (readonly [key: string, column: string, divisor: bigint])[] = [
  ["input_mtok", "input_usd_per_m", 1n],
  ["output_mtok", "output_usd_per_m", 1n],
  ["cache_read_mtok", "cache_read_usd_per_m", 1n],
  ["cache_write_mtok", "cache_write_usd_per_m", 1n],
  ["cache_write_1h_mtok", "cache_write_1h_usd_per_m", 1n],
  ["output_reasoning_mtok", "reasoning_usd_per_m", 1n],
  ["requests_kcount", "request_usd", 1_000n],
  ["audio_hours", "second_usd", 3_600n],
  ["web_searches_kcount", "search_usd_per_k", 1n],
  ["rerank_searches_kcount", "search_usd_per_k", 1n],
];
const columnOf = new Map(
  pricedBy.filter(([, column]) => priceColumns.some((name) => name === column)).map(([key, column]) => [key, column]),
);

const shippedOrigin = `${priceData.name} ${priceData.version} of ${priceData.date}`;

/** Prices in the form of the package that an admin has stored, and what they are called in the source of a price. */
export type StoredData = { readonly providers: readonly Provider[]; readonly origin: string };

/** Whose list prices are proposed for a provider that the data does not know. */
const makers = ["openai", "anthropic", "google", "mistral", "cohere"];

/** The same price in other words, which needs no note. */
const repeated: ReadonlySet<string> = new Set(["input_audio_hours"]);
const keyTexts: Readonly<Record<string, string>> = {
  input_audio_mtok: "audio input, per million tokens",
  output_audio_mtok: "audio output, per million tokens",
  cache_audio_read_mtok: "cached audio, per million tokens",
  input_image_mtok: "image input, per million tokens",
  output_image_mtok: "image output, per million tokens",
  cache_image_read_mtok: "cached images, per million tokens",
  input_video_mtok: "video input, per million tokens",
  output_video_mtok: "video output, per million tokens",
  cache_write_1h_mtok: "one-hour cache writes, per million tokens",
  web_searches_kcount: "web searches, per thousand",
  storage_searches_kcount: "file searches, per thousand",
  input_document_kpages: "pages, per thousand",
  input_annotated_document_kpages: "annotated pages, per thousand",
  output_citation_mtok: "citations, per million tokens",
};

/**
 * Loads the price data, which a gateway that no one sets up never holds in memory.
 * @param source the id of the provider in the data; null looks for the maker of each model, at list prices
 * @param stored newer data than the package has; it replaces all of it
 */
export async function openPriceData(source: string | null, stored: StoredData | null = null): Promise<FindPrices> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const sources = stored === null ? shippedSources(source) : storedSources(source, stored);
  const origin = stored === null ? shippedOrigin : stored.origin;
  return (model) => {
    for (const options of sources) {
      // Nothing was used, so nothing is calculated: only the entry of the model is looked up.
      const found = calcPrice({}, model, options);
      if (found !== null) {
        return describe(found.model, found.model_price, { ...found.provider, origin });
      }
    }
    return null;
  };
}

function shippedSources(source: string | null): readonly PriceOptions[] {
  return source === null ? [{}, ...makers.map((providerId) => ({ providerId }))] : [{ providerId: source }];
}

function storedSources(source: string | null, { providers }: StoredData): readonly PriceOptions[] {
  const wanted = source === null ? makers : [source];
  return wanted.flatMap((id) => providers.filter((provider) => provider.id === id).map((provider) => ({ provider })));
}

type Tiers = { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };
type Entry = { readonly key: string; readonly value: number | Tiers };

function describe(
  model: { readonly context_window?: number },
  price: ModelPrice,
  provider: { readonly id: string; readonly name: string; readonly origin: string },
): KnownPrices | null {
  const entries = Object.entries(price).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
  const prices: PriceTextsOf = Object.fromEntries(
    entries.flatMap(({ key, value }) => {
      const column = columnOf.get(key);
      return column === undefined ? [] : [[column, priceText(baseOf(value), divisorOf(key))] as const];
    }),
  );
  return {
    prices,
    longPrompt: longPromptOf(entries),
    source: `List price of ${provider.name}, ${provider.origin}`,
    notes: entries.flatMap(noteOf),
    ownedBy: provider.id,
    contextTokensMax: model.context_window ?? null,
  };
}

function divisorOf(key: string): bigint {
  return pricedBy.find(([name]) => name === key)?.[2] ?? 1n;
}

/** The decimal text of a price of the data, rounded up to the places that a price may have. */
export function priceText(value: number, divisor: bigint): string {
  const scaled = BigInt(value.toFixed(dataPlaces).replace(".", ""));
  const lost = 10n ** BigInt(dataPlaces - pricePlaces);
  return scaledToDecimal(ceilDivide(scaled, divisor * lost), pricePlaces);
}

/**
 * The prices of calls with a prompt longer than the lowest threshold; null if there is none. A price without a threshold
 * stays the same, as long as it is a price of tokens.
 */
function longPromptOf(entries: readonly Entry[]): LongPromptPrices | null {
  const above = Math.min(...entries.flatMap(({ key, value }) => (columnOf.has(key) ? startsOf(value) : [])));
  if (above === Number.POSITIVE_INFINITY) {
    return null;
  }
  const texts = new Map(
    entries.map(({ key, value }) => {
      const tier = typeof value === "number" ? undefined : value.tiers.find(({ start }) => start === above);
      return [columnOf.get(key), priceText(tier?.price ?? baseOf(value), divisorOf(key))] as const;
    }),
  );
  const list = Object.fromEntries(tokenPrices.map((column) => [column, texts.get(column) ?? null]));
  return { ...list, above_tokens: above } as LongPromptPrices;
}

/** What a catalog price does not express: a unit that has no price here, or a price above a second threshold. */
function noteOf({ key, value }: Entry): string[] {
  const column = columnOf.get(key);
  if (column === undefined) {
    return repeated.has(key) ? [] : [`Not priced here: $${priceText(baseOf(value), 1n)} for ${keyTexts[key] ?? key}.`];
  }
  const tiers = typeof value === "number" ? [] : value.tiers.slice(1);
  return tiers.map(
    ({ start, price }) =>
      `${unitText(column)} costs $${priceText(price, divisorOf(key))} above ${start.toLocaleString("en")} input tokens.`,
  );
}

function startsOf(value: Entry["value"]): readonly number[] {
  return typeof value === "number" ? [] : value.tiers.map(({ start }) => start);
}

function baseOf(value: Entry["value"]): number {
  return typeof value === "number" ? value : value.base;
}

function unitText(column: string): string {
  const words = column.replace(/_usd(_per_[mk])?$/, "").replaceAll("_", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
