import type { Locale } from "@sluice/contracts/locales";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import type { JSX } from "solid-js";
import type { Formats } from "../i18n/format.ts";
import type { SearchPage } from "./docs/search-index.ts";

/**
 * The data that a page is rendered from. It depends neither on the time nor on the visitor, so that the result is the
 * same each time.
 */
export type PageContext = {
  readonly locale: Locale;
  readonly catalogue: SiteCatalogue;
  readonly formats: Formats;
  /** The address of another page in the same language. */
  readonly link: (path: string) => string;
  /**
   * The address of a page with a form, like `/login/`: there is one for all languages, and it gets the language as a
   * parameter.
   */
  readonly formLink: (path: string) => string;
};

/** A public page, written once for each language. */
export type SitePage = {
  /** With both slashes, such as `/pricing/`; a page that ends in `.html` has no URL of its own. */
  readonly path: string;
  readonly title: (locale: Locale) => string;
  readonly description: (locale: Locale) => string;
  /**
   * The page whose preview image this one uses, if it has none of its own: pages of the catalog are known only after
   * the build.
   */
  readonly socialImageOf?: string;
  /** Whether search engines may list it. */
  readonly isIndexed: boolean;
  readonly islands: readonly IslandName[];
  /** The page's own scripts, if it needs more than islands; `api-page` has a stylesheet, too. */
  readonly scripts?: readonly ("docs-tools" | "api-page")[];
  /** For a page in English only: the page whose other languages are offered in place of its own. */
  readonly translationsAt?: string;
  /** The page as Markdown, published beside it: `/docs/billing.md`. */
  readonly markdown?: (context: PageContext) => string;
  /** The path of a feed of the page, which exists in each language. */
  readonly feed?: string;
  /** The page as the search of the docs knows it. */
  readonly searchPage?: (context: PageContext) => SearchPage;
  /** Structured data about the page for search engines, as in schema.org. */
  readonly structuredData?: (context: PageContext) => Readonly<Record<string, unknown>>;
  readonly content: (context: PageContext) => JSX.Element;
};

/** The parts of pages that run in the browser; `islands/islands.ts` and `main.ts` know their files. */
export type IslandName = "first-call" | "model-table" | "price-calculator" | "status-board";
