import { decimalToScaled, parseDecimal, scaledToDecimal } from "@sluice/contracts/money";
import type { SiteModel } from "@sluice/contracts/site-catalogue";

export const modelSorts = ["name", "input", "output", "context"] as const;
export type ModelSort = (typeof modelSorts)[number];

/** The selection of models to show; stored in the page's URL. */
export type ModelChoice = {
  readonly search: string;
  readonly provider: string;
  readonly sort: ModelSort;
  readonly isPerThousand: boolean;
  /** Names of models to compare. */
  readonly compared: readonly string[];
};

export const everything: ModelChoice = { search: "", provider: "", sort: "name", isPerThousand: false, compared: [] };

export const comparedMax = 4;
const places = 12;

const scaled = (decimal: string): bigint => decimalToScaled(parseDecimal(decimal), places);

/** An exact price for a thousand tokens. */
export function perThousand(usdPerM: string): string {
  return scaledToDecimal(scaled(usdPerM), places + 3);
}

const keys: Readonly<Record<Exclude<ModelSort, "name">, (model: SiteModel) => bigint>> = {
  input: (model) => scaled(model.input_usd_per_m),
  output: (model) => scaled(model.output_usd_per_m),
  // Sorts the longest context first.
  context: (model) => BigInt(-model.context_tokens_max),
};

function compareBy(sort: ModelSort, a: SiteModel, b: SiteModel): number {
  if (sort !== "name") {
    const difference = keys[sort](a) - keys[sort](b);
    if (difference !== 0n) {
      return difference < 0n ? -1 : 1;
    }
  }
  return a.name < b.name ? -1 : 1;
}

/** The matching models, in the requested order. */
export function chooseModels(models: readonly SiteModel[], { search, provider, sort }: ModelChoice): SiteModel[] {
  const words = search.toLowerCase().split(/\s+/);
  return models
    .filter((model) => provider === "" || model.owned_by === provider)
    .filter(({ name, display_name, owned_by }) => {
      const text = `${name} ${display_name} ${owned_by}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => compareBy(sort, a, b));
}

/** Parses the query of a URL; missing or invalid parts have their defaults. */
export function readChoice(query: string, models: readonly SiteModel[]): ModelChoice {
  const values = new URLSearchParams(query);
  const provider = values.get("provider") ?? "";
  return {
    search: (values.get("q") ?? "").slice(0, 200),
    provider: models.some((model) => model.owned_by === provider) ? provider : "",
    sort: modelSorts.find((sort) => sort === values.get("sort")) ?? "name",
    isPerThousand: values.get("unit") === "thousand",
    compared: (values.get("compare") ?? "")
      .split(",")
      .filter((name, at, names) => names.indexOf(name) === at && models.some((model) => model.name === name))
      .slice(0, comparedMax),
  };
}

/** The query for the selection; empty for the defaults. */
export function writeChoice({ search, provider, sort, isPerThousand, compared }: ModelChoice): string {
  const values = new URLSearchParams();
  const pairs = [
    ["q", search],
    ["provider", provider],
    ["sort", sort === "name" ? "" : sort],
    ["unit", isPerThousand ? "thousand" : ""],
    ["compare", compared.join(",")],
  ] as const;
  for (const [name, value] of pairs.filter(([, each]) => each !== "")) {
    values.set(name, value);
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}
