import type { Locale } from "@sluice/contracts/locales";

/** The texts of an area in every language of the product; a missing one does not compile. */
export type SiteTexts<Texts> = Readonly<Record<Locale, Texts>>;

/** The address of a page in a language: English is at the root. */
export function localizedPath(path: string, locale: Locale): string {
  return locale === "en" ? path : `/${locale}${path}`;
}
