import type { ModelProposal } from "@sluice/contracts/model-proposals";
import type { FindPrices, KnownPrices, ListedModel, PriceTextsOf } from "./model.ts";
import { kindOf, limitsOf } from "./model-facts.ts";

type Proposals = { readonly models: readonly ModelProposal[]; readonly leftOut: number };

/**
 * What the models of a list would be in the catalog, by the list itself, the price data and our table of facts, in this
 * order.
 * @param isInCatalog whether the catalog has a model of this name
 */
export function proposeModels(
  listed: readonly ListedModel[],
  findPrices: FindPrices,
  isInCatalog: (name: string) => boolean,
): Proposals {
  const uses = countNames(listed);
  const models = listed.flatMap((model) => {
    const short = shortName(model.id);
    const name = uses.get(short) === 1 ? short : model.id;
    const proposal = propose(model, findPrices(model.id) ?? findPrices(short), name);
    return proposal === null ? [] : [{ ...proposal, is_in_catalog: isInCatalog(name) }];
  });
  return { models: models.sort(byName), leftOut: listed.length - models.length };
}

/** The names that `proposeModels` may propose. */
export function proposableNames(listed: readonly ListedModel[]): readonly string[] {
  return [...new Set(listed.flatMap(({ id }) => [id, shortName(id)]))];
}

function propose(
  listed: ListedModel,
  known: KnownPrices | null,
  name: string,
): Omit<ModelProposal, "is_in_catalog"> | null {
  const kind = kindOf(listed.id, listed.type);
  if (kind === null) {
    return null;
  }
  const stated = {
    context: listed.contextTokensMax ?? known?.contextTokensMax ?? null,
    output: listed.outputTokensMax,
  };
  const { areAssumed, ...limits } = limitsOf(listed.id, kind, stated);
  const { prices, longPrompt, source, notes } = pricesOf(listed, known, kind);
  return {
    upstream_model: listed.id,
    name,
    display_name: clean(listed.displayName ?? name, 200),
    owned_by: clean(listed.ownedBy ?? vendorOf(listed.id) ?? known?.ownedBy ?? "unknown", 100),
    kind,
    context_tokens_max: limits.contextTokensMax,
    output_tokens_max: limits.outputTokensMax,
    image_tokens_max: limits.imageTokensMax,
    are_limits_assumed: areAssumed,
    prices,
    long_prompt: longPrompt,
    price_source: prices === null ? null : source,
    price_notes: prices === null ? [] : [...notes],
  };
}

/** The prices that the list states, else those of the data. An entry without any price counts as unknown. */
function pricesOf(
  listed: ListedModel,
  known: KnownPrices | null,
  kind: ModelProposal["kind"],
): { readonly prices: PriceTextsOf | null } & Pick<KnownPrices, "longPrompt" | "source" | "notes"> {
  if (listed.prices !== null) {
    return { prices: listed.prices, longPrompt: null, source: "The provider's own list of models", notes: [] };
  }
  const found = known?.prices ?? {};
  const isFree = Object.keys(found).length === 0;
  // Only a model that returns text is sold by its output.
  const isWhole = kind !== "chat" || (found.input_usd_per_m !== undefined && found.output_usd_per_m !== undefined);
  if (known === null || isFree || !isWhole) {
    return { prices: null, longPrompt: null, source: "", notes: [] };
  }
  const { longPrompt, source, notes } = known;
  return { prices: { input_usd_per_m: "0", output_usd_per_m: "0", ...found }, longPrompt, source, notes };
}

/** The name without the parts that only the provider needs: accounts, vendors. */
function shortName(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1) || id;
}

function vendorOf(id: string): string | null {
  const [vendor, ...rest] = id.split("/");
  return rest.length === 1 && vendor !== undefined && vendor !== "" ? vendor : null;
}

function countNames(listed: readonly ListedModel[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of listed) {
    counts.set(shortName(id), (counts.get(shortName(id)) ?? 0) + 1);
  }
  return counts;
}

function clean(text: string, lengthMax: number): string {
  return (
    text
      .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "")
      .trim()
      .slice(0, lengthMax) || "unknown"
  );
}

function byName(a: ModelProposal, b: ModelProposal): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
