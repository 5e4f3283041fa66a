import type { Locale } from "../i18n/locale.ts";

/** The languages of the public pages. With a language that is added here, every area has to have it, or nothing compiles. */
export const siteLocales = [
  "en",
  "zh",
  "ja",
  "ko",
  "es",
  "fr",
  "de",
  "pt",
  "ru",
  "ar",
  "hi",
] as const satisfies readonly Locale[];

export type SiteLocale = (typeof siteLocales)[number];

/** The texts of an area in every language. */
export type SiteTexts<Texts> = Readonly<Record<SiteLocale, Texts>>;

/** The address of a page in a language: English stands at the root. */
export function localizedPath(path: string, locale: SiteLocale): string {
  return locale === "en" ? path : `/${locale}${path}`;
}
