import type { ModelCapability } from "@sluice/contracts/model-capabilities";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import { decimalToScaled, parseDecimal, scaledToDecimal } from "@sluice/contracts/money";
import type { SiteModel, SitePerformance } from "@sluice/contracts/site-catalogue";
import { ownerName } from "../../i18n/owner-name.ts";

/** What visitors look for: a capability of chat models, or another kind of models. */
export type ModelTrait = ModelCapability | Exclude<ModelKind, "chat">;

/** What is measured of the models, by their names, as far as the operator shows it. */
export type ModelFigures = {
  readonly performance: Readonly<Record<string, SitePerformance>>;
  readonly success: Readonly<Record<string, number>>;
};

export const modelSorts = [
  "name",
  "provider",
  "input",
  "output",
  "cached",
  "context",
  "max_output",
  "first_byte",
  "speed",
  "success",
] as const;
export type ModelSort = (typeof modelSorts)[number];

/** The sorts that begin with the highest value. */
const falling: ReadonlySet<ModelSort> = new Set(["context", "max_output", "speed", "success"]);

/** The selection of models to show; stored in the page's URL. */
export type ModelChoice = {
  readonly search: string;
  readonly provider: string;
  readonly trait: ModelTrait | "";
  readonly sort: ModelSort;
  /** Whether the order is the reverse of the usual one of the sort. */
  readonly isReversed: boolean;
  readonly isPerThousand: boolean;
  /** Names of models to compare. */
  readonly compared: readonly string[];
};

export const everything: ModelChoice = {
  ...{ search: "", provider: "", trait: "", sort: "name" },
  ...{ isReversed: false, isPerThousand: false, compared: [] },
};

export const noFigures: ModelFigures = { performance: {}, success: {} };
export const comparedMax = 4;
const places = 12;

const scaled = (decimal: string): bigint => decimalToScaled(parseDecimal(decimal), places);

/** An exact price for a thousand tokens. */
export function perThousand(usdPerM: string): string {
  return scaledToDecimal(scaled(usdPerM), places + 3);
}

/** What a model can do, or what kind it is unless it is for chats. */
export function traitsOf({ kind, capabilities }: SiteModel): readonly ModelTrait[] {
  return kind === "chat" ? capabilities : [kind, ...capabilities];
}

type Keys = Readonly<Record<ModelSort, (model: SiteModel, figures: ModelFigures) => bigint | number | string | null>>;

const keys: Keys = {
  name: ({ name }) => name,
  provider: ({ owned_by: owner }) => ownerName(owner).toLowerCase(),
  input: (model) => scaled(model.input_usd_per_m),
  output: (model) => scaled(model.output_usd_per_m),
  cached: (model) => scaled(model.cache_read_usd_per_m ?? model.input_usd_per_m),
  context: (model) => model.context_tokens_max,
  max_output: (model) => model.output_tokens_max,
  first_byte: ({ name }, { performance }) => performance[name]?.first_byte_ms ?? null,
  speed: ({ name }, { performance }) => performance[name]?.tokens_per_second ?? null,
  success: ({ name }, { success }) => success[name] ?? null,
};

/** Whether the sort begins with the highest value. */
export function isFalling({ sort, isReversed }: Pick<ModelChoice, "sort" | "isReversed">): boolean {
  return falling.has(sort) !== isReversed;
}

/** The choice after a press on the head of a column: a second one turns the order around. */
export function sortedBy(sort: ModelSort, now: ModelChoice): Pick<ModelChoice, "sort" | "isReversed"> {
  return { sort, isReversed: now.sort === sort && !now.isReversed };
}

/** The matching models, in the requested order; those without the value to sort by come last. */
export function chooseModels(
  models: readonly SiteModel[],
  choice: ModelChoice,
  figures: ModelFigures = noFigures,
): SiteModel[] {
  const { search, provider, trait } = choice;
  const words = search.toLowerCase().split(/\s+/);
  const keyOf = keys[choice.sort];
  const sign = isFalling(choice) ? -1 : 1;
  return models
    .filter((model) => provider === "" || model.owned_by === provider)
    .filter((model) => trait === "" || traitsOf(model).includes(trait))
    .filter(({ name, display_name, owned_by }) => {
      const text = `${name} ${display_name} ${owned_by} ${ownerName(owned_by)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => {
      const [one, other] = [keyOf(a, figures), keyOf(b, figures)];
      if (one !== other) {
        return one === null || other === null ? Number(one === null) * 2 - 1 : one < other ? -sign : sign;
      }
      return a.name < b.name ? -1 : 1;
    });
}

/** Parses the query of a URL; missing or invalid parts have their defaults. */
export function readChoice(query: string, models: readonly SiteModel[]): ModelChoice {
  const values = new URLSearchParams(query);
  const provider = values.get("provider") ?? "";
  const trait = values.get("can") ?? "";
  return {
    search: (values.get("q") ?? "").slice(0, 200),
    provider: models.some((model) => model.owned_by === provider) ? provider : "",
    trait: models.flatMap(traitsOf).find((each) => each === trait) ?? "",
    sort: modelSorts.find((sort) => sort === values.get("sort")) ?? "name",
    isReversed: values.get("order") === "reverse",
    isPerThousand: values.get("unit") === "thousand",
    compared: (values.get("compare") ?? "")
      .split(",")
      .filter((name, at, names) => names.indexOf(name) === at && models.some((model) => model.name === name))
      .slice(0, comparedMax),
  };
}

/** The query for the selection; empty for the defaults. */
export function writeChoice(choice: ModelChoice): string {
  const { search, provider, trait, sort, isReversed, isPerThousand, compared } = choice;
  const values = new URLSearchParams();
  const pairs = [
    ["q", search],
    ["provider", provider],
    ["can", trait],
    ["sort", sort === "name" ? "" : sort],
    ["order", isReversed ? "reverse" : ""],
    ["unit", isPerThousand ? "thousand" : ""],
    ["compare", compared.join(",")],
  ] as const;
  for (const [name, value] of pairs.filter(([, each]) => each !== "")) {
    values.set(name, value);
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}
