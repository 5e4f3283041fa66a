import { localizedPath, siteLocales } from "../src/site/locales.ts";
import type { SitePage } from "../src/site/model.ts";

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Every indexed page with its languages. */
export function sitemapXml(pages: readonly SitePage[], origin: string): string {
  const urls = pages
    .filter((page) => page.isIndexed)
    .flatMap((page) => {
      const address = (locale: (typeof siteLocales)[number]): string =>
        escapeXml(origin + localizedPath(page.path, locale));
      const alternates = siteLocales
        .map((locale) => `<xhtml:link rel="alternate" hreflang="${locale}" href="${address(locale)}"/>`)
        .join("");
      return siteLocales.map((locale) => `<url><loc>${address(locale)}</loc>${alternates}</url>`);
    });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ...urls,
    "</urlset>",
    "",
  ].join("\n");
}

/** What needs a login is not for search engines. */
export function robotsText(origin: string): string {
  const closed = ["/console/", "/admin/", "/backend/", "/v1/", "/msgcompat/"];
  return ["User-agent: *", ...closed.map((path) => `Disallow: ${path}`), `Sitemap: ${origin}/sitemap.xml`, ""].join(
    "\n",
  );
}
