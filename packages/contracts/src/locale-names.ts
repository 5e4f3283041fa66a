import type { Locale } from "./locales.ts";

/**
 * Each language by its own name. The codes are in a separate file, because the admin area is in English and does not
 * need the names.
 */
export const localeNames: Readonly<Record<Locale, string>> = {
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
};
