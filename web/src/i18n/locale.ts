/** The languages of the product, each by its own name. */
export const localeNames = {
  en: "English",
  zh: "中文",
  ja: "日本語",
  ko: "한국어",
  es: "Español",
  fr: "Français",
  de: "Deutsch",
  pt: "Português",
  ru: "Русский",
  ar: "العربية",
  hi: "हिन्दी",
} as const;

export type Locale = keyof typeof localeNames;

export const allLocales = Object.keys(localeNames) as readonly Locale[];

export function isLocale(text: string): text is Locale {
  return Object.hasOwn(localeNames, text);
}

export function directionOf(locale: Locale): "ltr" | "rtl" {
  return locale === "ar" ? "rtl" : "ltr";
}

/** How numbers and dates are written; Arabic text here stands with the digits that prices and code have. */
export function formatTagOf(locale: Locale): string {
  return locale === "ar" ? "ar-u-nu-latn" : locale === "hi" ? "hi-u-nu-latn" : locale;
}
