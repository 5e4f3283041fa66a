import type { PlanEntry } from "./billing.ts";
import type { ModelKind } from "./model-kinds.ts";
import type { PriceList } from "./priced-units.ts";

/** A model as the public pages show it. Prices are exact decimals in US dollars, for a million tokens where they say so. */
export type SiteModel = PriceList & {
  readonly name: string;
  readonly display_name: string;
  readonly owned_by: string;
  readonly kind: ModelKind;
  readonly context_tokens_max: number;
  readonly output_tokens_max: number;
  readonly takes_images: boolean;
  /** ISO 8601, or null. */
  readonly deprecated_at: string | null;
  readonly sunset_at: string | null;
};

/** A plan as the public pages show it; the quota as decimal text. */
export type SitePlan = Omit<PlanEntry, "quota"> & { readonly quota: string };

/** What the public pages are made of, besides their texts: the same in every language. */
export type SiteCatalogue = {
  /** What absolute addresses begin with, without a slash at the end. */
  readonly origin: string;
  readonly plans: readonly SitePlan[];
  readonly models: readonly SiteModel[];
  /** The names that clients of the Messages API may ask for. */
  readonly messages_models: readonly string[];
  /** Where the script of the support widget is, or null where there is none. */
  readonly support_widget_url: string | null;
};

/** What the program that writes the public pages gets on its standard input. */
export type PrerenderOrder = {
  readonly catalogue: SiteCatalogue;
  /** An empty folder, which it fills. */
  readonly directory: string;
};
