import type { ModelPrices } from "./model.ts";
import { servingChannels } from "./move-models.ts";
import { type Fraction, fractionOf, isSame, times, toPlaces, wholeFraction } from "./prices/fraction.ts";
import { readRatioMap } from "./prices/ratio-map.ts";
import type { Step } from "./run.ts";
import { listPricesHere, type PriceHere } from "./store.ts";

/** What a customer of a group pays there and here, as decimal texts: of input, output, cached input, and a request. */
export type PriceRow = {
  readonly model: string;
  readonly group: string;
  readonly there: string;
  readonly here: string;
  readonly isSame: boolean;
};

const places = 8;
const one = wholeFraction(1n);

/**
 * The prices of every model that was moved, for each group that has a channel with it: there as the program computes them,
 * here as they are stored. What differs is what the report has to explain.
 */
export async function priceTable(step: Step): Promise<readonly PriceRow[]> {
  const ratios = readRatioMap(step.data.options, "GroupRatio") ?? new Map<string, Fraction>();
  const [groups, models] = [await step.items("group"), await step.items("model")];
  const serving = servingChannels(step.data);
  const here = await listPricesHere(step.tx, [...models.keys()]);
  const rows: PriceRow[] = [];
  for (const model of [...models.keys()].toSorted()) {
    const channels = serving.get(model) ?? [];
    const priced = step.data.priceOf(model, channels);
    const stored = here.get(model);
    if (priced.prices === null || stored === undefined) {
      continue;
    }
    for (const group of [...new Set(channels.flatMap((channel) => channel.groups))].toSorted()) {
      const multiplier = stored.multipliers.get(groups.get(group)?.target ?? "");
      if (multiplier !== undefined) {
        rows.push(
          compare(
            { model, group },
            timesAll(priced.prices, ratios.get(group) ?? one),
            timesAll(stored.prices, decimal(multiplier)),
          ),
        );
      }
    }
  }
  return rows;
}

type Amounts = readonly (Fraction | null)[];

function timesAll(prices: ModelPrices | PriceHere["prices"], factor: Fraction): Amounts {
  const {
    input_usd_per_m: input,
    output_usd_per_m: output,
    cache_read_usd_per_m: cached,
    request_usd: request,
  } = prices;
  return [input, output, cached, request].map((text) => (text === null ? null : times(decimal(text), factor)));
}

function decimal(text: string): Fraction {
  const fraction = fractionOf(text);
  if (fraction === null) {
    throw new Error(`${text} is not a decimal number`);
  }
  return fraction;
}

function compare(of: Pick<PriceRow, "model" | "group">, there: Amounts, here: Amounts): PriceRow {
  const same = there.every((amount, at) => {
    const other = here[at] ?? null;
    return amount === null || other === null ? amount === other : isSame(rounded(amount), rounded(other));
  });
  return { ...of, there: shown(there), here: shown(here), isSame: same };
}

const rounded = (amount: Fraction): Fraction => decimal(toPlaces(amount, places).text);

const shown = (amounts: Amounts): string =>
  amounts.map((amount) => (amount === null ? "-" : toPlaces(amount, places).text)).join(" ");
