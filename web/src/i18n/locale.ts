/** The languages of the product. */
export const allLocales = ["en", "zh", "ja", "ko", "es", "fr", "de", "pt", "ru", "ar", "hi"] as const;

export type Locale = (typeof allLocales)[number];

export function isLocale(text: string): text is Locale {
  return allLocales.some((locale) => locale === text);
}

export function directionOf(locale: Locale): "ltr" | "rtl" {
  return locale === "ar" ? "rtl" : "ltr";
}

/** How numbers and dates are written; Arabic text here stands with the digits that prices and code have. */
export function formatTagOf(locale: Locale): string {
  return locale === "ar" ? "ar-u-nu-latn" : locale === "hi" ? "hi-u-nu-latn" : locale;
}
