import type { adoptModelsInput, channelTest } from "@sluice/contracts/catalog-admin";
import type { modelProposal } from "@sluice/contracts/model-proposals";
import { type PriceColumn, priceColumns, pricedUnits } from "@sluice/contracts/priced-units";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { z } from "zod";
import { orAbsent, orNull, wholeOrNull } from "../../parts/field-values.ts";
import { t } from "../../translate.ts";

type ModelProposal = ResponseOf<typeof modelProposal>;
type TestResult = ResponseOf<typeof channelTest>;
type NewModel = NonNullable<z.input<typeof adoptModelsInput>["models"][number]["new_model"]>;

/** The texts of the fields of a row. */
export type RowFields = Readonly<Record<"name" | "display_name" | "kind" | Bound | PriceColumn, string>>;
export type Bound = (typeof bounds)[number];
export const bounds = ["context_tokens_max", "output_tokens_max", "image_tokens_max"] as const;

/** A model of the provider's list, as an admin chose and changed it. */
export type ModelRow = {
  readonly proposal: ModelProposal;
  readonly fields: RowFields;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  /** The error of each field, or of the whole row under an empty name. */
  readonly problems: Readonly<Record<string, string>>;
  readonly test: TestState;
};
export type TestState =
  | { readonly kind: "none" | "running" }
  | { readonly kind: "skipped"; readonly text: string }
  | { readonly kind: "done"; readonly result: TestResult };

/** The kinds whose test calls cost next to nothing. */
const testedKinds: ReadonlySet<string> = new Set(["chat", "embedding", "moderation", "rerank"]);

export function isTestable({ fields }: ModelRow): boolean {
  return testedKinds.has(fields.kind);
}

export function toRow(proposal: ModelProposal): ModelRow {
  const prices = priceColumns.map((column) => [column, proposal.prices?.[column] ?? ""]);
  return {
    proposal,
    fields: {
      name: proposal.name,
      display_name: proposal.display_name,
      kind: proposal.kind,
      ...(Object.fromEntries(bounds.map((bound) => [bound, String(proposal[bound])])) as Record<Bound, string>),
      ...(Object.fromEntries(prices) as Record<PriceColumn, string>),
    },
    isChosen: false,
    isOpen: false,
    problems: {},
    test: { kind: "none" },
  };
}

/** Whether the catalog keeps its own prices: it has the model under the proposed name, and the name is unchanged. */
export function keepsItsPrices({ proposal, fields }: ModelRow): boolean {
  return proposal.is_in_catalog && fields.name.trim() === proposal.name;
}

/** Whether nothing is left to enter before the model can be sold. */
export function isReady(row: ModelRow): boolean {
  return keepsItsPrices(row) || Object.keys(missing(row)).length === 0;
}

/** The required fields of a chosen row that are empty, each with what to do. */
export function missing(row: ModelRow): Record<string, string> {
  const required = [
    "name",
    ...(keepsItsPrices(row) ? [] : ["context_tokens_max", "output_tokens_max", ...requiredPrices]),
  ];
  const empty = required.filter((name) => row.fields[name as keyof RowFields].trim() === "");
  return Object.fromEntries(empty.map((name) => [name, t("Enter a value.")]));
}

const requiredPrices = pricedUnits.filter(({ unpriced }) => unpriced === "refused").map(({ price }) => price);

/** A row as the backend takes it over. */
export function toAdopted(row: ModelRow, groupName: string) {
  const { proposal, fields } = row;
  const name = fields.name.trim();
  return {
    model: name,
    upstream_model: name === proposal.upstream_model ? null : proposal.upstream_model,
    group_name: groupName,
    ...(keepsItsPrices(row) ? {} : { new_model: newModel(row) }),
  };
}

function newModel({ proposal, fields }: ModelRow): NewModel {
  const prices = pricedUnits.map(({ price, unpriced }) => [
    price,
    unpriced === "as_whole" ? orNull(fields[price]) : orAbsent(fields[price]),
  ]);
  const limits = bounds.map((bound) => [bound, wholeOrNull(fields[bound]) ?? undefined]);
  return {
    display_name: orAbsent(fields.display_name),
    owned_by: proposal.owned_by,
    kind: fields.kind,
    ...Object.fromEntries([...prices, ...limits]),
    long_prompt: hasProposedPrices(proposal, fields) ? proposal.long_prompt : null,
  } as NewModel;
}

/** The prices for long prompts belong to the proposed ones: with others they would be a guess. */
export function hasProposedPrices(proposal: ModelProposal, fields: RowFields): boolean {
  return requiredPrices.every((price) => fields[price].trim() === (proposal.prices?.[price] ?? ""));
}

/** The errors of the rows, from those of the request, which name rows by their place among the chosen ones. */
export function rowProblems(fields: Readonly<Record<string, string>>): ReadonlyMap<number, Record<string, string>> {
  const found = new Map<number, Record<string, string>>();
  for (const [path, text] of Object.entries(fields)) {
    const [, place, rest = ""] = /^models\.(\d+)\.?(.*)$/.exec(path) ?? [];
    if (place !== undefined) {
      const field = rest.replace(/^new_model\.?/, "").replace(/^model$/, "name");
      const index = Number(place);
      found.set(index, { ...found.get(index), [field]: text });
    }
  }
  return found;
}

export function modelCount(count: number): string {
  return count === 1 ? t("{count} model", { count }) : t("{count} models", { count });
}
