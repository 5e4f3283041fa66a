import { allLocales, type Locale } from "@sluice/contracts/locales";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { markdownPath } from "../src/site/docs/markdown.ts";
import { localizedPath } from "../src/site/locales.ts";
import type { PageContext, SitePage } from "../src/site/model.ts";
import { brandPlace } from "./brand-place.ts";

/** Text for HTML or XML, also in quoted attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Every indexed page with its languages. */
export function sitemapXml(pages: readonly SitePage[], origin: string): string {
  const urls = pages
    .filter((page) => page.isIndexed)
    .flatMap((page) => {
      const address = (locale: Locale): string => escapeXml(origin + localizedPath(page.path, locale));
      const alternates = allLocales
        .map((locale) => `<xhtml:link rel="alternate" hreflang="${locale}" href="${address(locale)}"/>`)
        .join("");
      return allLocales.map((locale) => `<url><loc>${address(locale)}</loc>${alternates}</url>`);
    });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ...urls,
    "</urlset>",
    "",
  ].join("\n");
}

/** Pages that need a login are not for search engines. */
export function robotsText(origin: string): string {
  const closed = ["/console/", "/admin/", "/backend/", "/v1/", "/v1beta/", "/v2/", "/msgcompat/"];
  return ["User-agent: *", ...closed.map((path) => `Disallow: ${path}`), `Sitemap: ${origin}/sitemap.xml`, ""].join(
    "\n",
  );
}

/** What the search of the docs knows, in one language. */
export function searchIndexJson(pages: readonly SitePage[], context: PageContext): string {
  const found = pages.flatMap((page) => page.searchPage?.(context) ?? []);
  const quoted = JSON.stringify(context.catalogue.brand.name).slice(1, -1);
  return JSON.stringify(found).replaceAll(brandPlace, () => quoted);
}

/** The site's description for language models, as Markdown. */
export function llmsText(pages: readonly SitePage[], { origin, models }: SiteCatalogue): string {
  const listed = pages.filter((page) => page.isIndexed);
  return [
    "# {brand}",
    "",
    "> A paid gateway to model APIs: one address, one key, an exact receipt for every call.",
    "",
    `- OpenAI clients: base URL ${origin}/v1, key as a bearer token.`,
    `- Anthropic clients: base URL ${origin}/msgcompat, key as a bearer token or in x-api-key.`,
    `- The models that a key may use: GET ${origin}/v1/models`,
    "",
    "## Pages",
    "",
    ...listed.map((page) => {
      const path = page.markdown === undefined ? page.path : markdownPath(page.path);
      return `- [${page.title("en")}](${origin}${path}): ${page.description("en")}`;
    }),
    "",
    "## Models, in US dollars per million tokens",
    "",
    ...models.map((model) => `- ${model.name}: input ${model.input_usd_per_m}, output ${model.output_usd_per_m}`),
    "",
  ].join("\n");
}
