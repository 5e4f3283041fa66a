/** The languages of the product: its pages, forms and emails. */
export const allLocales = ["en", "zh", "ja", "ko", "es", "fr", "de", "pt", "ru", "ar", "hi"] as const;

export type Locale = (typeof allLocales)[number];

/** The languages of the admin area. */
export const adminLocales = ["en", "zh"] as const satisfies readonly Locale[];

export type AdminLocale = (typeof adminLocales)[number];

export function directionOf(locale: Locale): "ltr" | "rtl" {
  return locale === "ar" ? "rtl" : "ltr";
}

export function isLocale(text: string): text is Locale {
  return allLocales.some((locale) => locale === text);
}

export function isAdminLocale(text: string): text is AdminLocale {
  return adminLocales.some((locale) => locale === text);
}

/** The language of a tag such as `pt-BR`; null when the product does not support it. */
export function localeOfTag(tag: string): Locale | null {
  const [language = ""] = tag.trim().toLowerCase().split(/[-_;]/);
  return isLocale(language) ? language : null;
}
