import type { priceComparison } from "@sluice/contracts/price-data";
import { type PriceColumn, priceColumns } from "@sluice/contracts/priced-units";
import { findPreset } from "@sluice/contracts/provider-presets";
import type { Unsent } from "@sluice/contracts/wire";
import type { z } from "zod";
import type { ModelRow } from "../../../models/model-store.ts";
import type { AbilityRow, ChannelRow } from "../../channels/store.ts";
import type { FindPrices, KnownPrices } from "../proposals/model.ts";
import { longPromptText, plain } from "../save-model.ts";

export type PriceComparison = Unsent<z.output<typeof priceComparison>>;

/** The part of the catalog that prices depend on. */
export type PricedCatalog = {
  readonly models: readonly ModelRow[];
  readonly abilities: readonly Pick<AbilityRow, "model" | "channel_id" | "upstream_model">[];
  readonly channels: readonly Pick<ChannelRow, "id" | "upstream">[];
};

/**
 * Where the prices of the catalog differ from those of the providers that serve the models. A model has a row for each
 * provider with other prices; channels without a known provider are left out.
 * @param pricesOf finds the prices of a provider by its id in the data
 */
export async function comparePrices(
  { models, abilities, channels }: PricedCatalog,
  pricesOf: (source: string) => Promise<FindPrices>,
): Promise<{ readonly comparisons: readonly PriceComparison[]; readonly compared: number }> {
  const sources = new Map(channels.map(({ id, upstream }) => [id, findPreset(upstream.preset)?.priceSource ?? null]));
  const byName = new Map(models.map((model) => [model.name, model]));
  const seen = new Set<string>();
  const known = new Set<string>();
  const comparisons: PriceComparison[] = [];
  for (const { model: name, channel_id: channel, upstream_model: renamed } of abilities) {
    const source = sources.get(channel) ?? null;
    const model = byName.get(name);
    const upstreamModel = renamed ?? name;
    const key = JSON.stringify([name, source, upstreamModel]);
    if (source === null || model === undefined || seen.has(key)) {
      continue;
    }
    seen.add(key);
    const prices = (await pricesOf(source))(upstreamModel);
    if (prices !== null) {
      known.add(name);
      comparisons.push(...compare(model, upstreamModel, prices));
    }
  }
  return { comparisons: comparisons.sort((a, b) => (a.model < b.model ? -1 : 1)), compared: known.size };
}

function compare(model: ModelRow, upstreamModel: string, known: KnownPrices): PriceComparison[] {
  const differences = priceColumns.flatMap((price) => difference(model, price, known.prices[price]));
  const { longPrompt: to } = known;
  const isOther = to !== null && longPromptText({ ...model, long_prompt: to }) !== longPromptText(model);
  const longPrompt = isOther ? { from: model.long_prompt, to } : null;
  if (differences.length === 0 && longPrompt === null) {
    return [];
  }
  const { source, notes } = known;
  const what = { model: model.name, updated_at: model.updated_at, source, upstream_model: upstreamModel };
  return [{ ...what, differences, long_prompt: longPrompt, notes }];
}

/** A unit without a price in the data keeps its own. */
function difference(model: ModelRow, price: PriceColumn, found: string | undefined) {
  const from = plain(model[price]);
  const to = plain(found ?? null);
  return to === null || to === from ? [] : [{ price, from, to }];
}
