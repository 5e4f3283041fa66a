import type { Locale } from "@sluice/contracts/locales";

/** How numbers and dates are formatted; Arabic text here uses the digits of prices and code. */
export function formatTagOf(locale: Locale): string {
  return locale === "ar" ? "ar-u-nu-latn" : locale === "hi" ? "hi-u-nu-latn" : locale;
}
