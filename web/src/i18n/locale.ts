import type { Locale } from "@sluice/contracts/locales";

/** How numbers and dates are written; Arabic text here uses the digits that prices and code have. */
export function formatTagOf(locale: Locale): string {
  return locale === "ar" ? "ar-u-nu-latn" : locale === "hi" ? "hi-u-nu-latn" : locale;
}
