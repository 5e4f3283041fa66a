import type { Locale } from "@sluice/contracts/locales";

/** The language tag for formatting numbers and dates. Arabic text here uses the same digits as prices and code. */
export function formatTagOf(locale: Locale): string {
  return locale === "ar" ? "ar-u-nu-latn" : locale === "hi" ? "hi-u-nu-latn" : locale;
}
