import type { PlanEntry } from "./billing.ts";
import type { Announcement, Brand, LegalPage } from "./brand.ts";
import type { Locale } from "./locales.ts";
import type { ModelCapability } from "./model-capabilities.ts";
import type { ModelKind } from "./model-kinds.ts";
import type { TieredPrices } from "./priced-units.ts";

/** A model as the public pages show it. Prices are exact decimals in US dollars, per million tokens where stated. */
export type SiteModel = TieredPrices & {
  readonly name: string;
  readonly display_name: string;
  readonly owned_by: string;
  readonly kind: ModelKind;
  readonly context_tokens_max: number;
  readonly output_tokens_max: number;
  readonly takes_images: boolean;
  readonly capabilities: readonly ModelCapability[];
  /** The time in ISO 8601, or null. */
  readonly deprecated_at: string | null;
  readonly sunset_at: string | null;
  /** The model to use instead, or null. */
  readonly replacement_model: string | null;
};

/** How a model did in the last seven whole UTC days, as far as it had enough calls. */
export type SitePerformance = {
  /** Half of the calls began to be answered within this time. */
  readonly first_byte_ms: number;
  /** Null for a model that streams no tokens. */
  readonly tokens_per_second: number | null;
};

/** A plan as the public pages show it; the quota as decimal text. */
export type SitePlan = Omit<PlanEntry, "quota"> & { readonly quota: string };

/** A legal page that the operator has written, in one language. */
export type SiteLegalText = {
  readonly page: LegalPage;
  readonly locale: Locale;
  /** Markup that holds nothing active. */
  readonly html: string;
  readonly version: number;
  /** The day from which it applies. */
  readonly effective_on: string;
};

/** The data of the public pages besides their texts; it is the same in every language. */
export type SiteCatalogue = {
  /** The base of absolute URLs, without a trailing slash. */
  readonly origin: string;
  readonly brand: Brand;
  /** What is announced now; null if nothing is. */
  readonly announcement: Announcement | null;
  /** Whether there is a status page. */
  readonly has_status: boolean;
  readonly legal_texts: readonly SiteLegalText[];
  readonly plans: readonly SitePlan[];
  readonly models: readonly SiteModel[];
  /** By the name of the model; empty unless the operator shows it. */
  readonly performance: Readonly<Record<string, SitePerformance>>;
  /** The share of calls that were answered in the last 30 whole UTC days, by the name of the model, as far as it is shown. */
  readonly success: Readonly<Record<string, number>>;
  /** The same of all calls; null where it is not shown. */
  readonly success_overall: number | null;
  /** The names that clients of the Messages API may ask for. */
  readonly messages_models: readonly string[];
  /** The URL of the support widget's script, or null. */
  readonly support_widget_url: string | null;
};

/** The standard input of the program that renders the public pages. */
export type PrerenderOrder = {
  readonly catalogue: SiteCatalogue;
  /** An empty folder for its output. */
  readonly directory: string;
  /** Compresses them less: for pages that are soon drawn again, as in tests. */
  readonly isQuick?: true;
};
