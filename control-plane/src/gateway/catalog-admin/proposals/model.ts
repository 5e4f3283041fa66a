import type { LongPromptPrices, PriceColumn } from "@sluice/contracts/priced-units";

export type PriceTextsOf = Readonly<Partial<Record<PriceColumn, string>>>;

/** A model as the provider lists it; null for what the list does not state. */
export type ListedModel = {
  readonly id: string;
  readonly displayName: string | null;
  readonly ownedBy: string | null;
  /** The provider's word for the kind of the model. */
  readonly type: string | null;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
  /** US dollars, if the list has prices. */
  readonly prices: PriceTextsOf | null;
};

export type KnownPrices = {
  readonly prices: PriceTextsOf;
  readonly longPrompt: LongPromptPrices | null;
  readonly source: string;
  readonly notes: readonly string[];
  /** The provider in the data. */
  readonly ownedBy: string;
  readonly contextTokensMax: number | null;
};

/** Looks up what a provider charges for a model; null if it is not known. */
export type FindPrices = (model: string) => KnownPrices | null;
