import { isLocale, type Locale } from "../i18n/locale.ts";
import { keepPreference, localeKey, readPreference } from "./preferences.ts";

/** The language of a user who chose none is that of the browser, where the application speaks it. */
export function findLocale<Supported extends Locale>(supported: readonly Supported[]): Supported | "en" {
  const wished = [readPreference(localeKey) ?? "", ...navigator.languages.map((tag) => tag.split("-")[0] ?? "")];
  for (const tag of wished) {
    const found = isLocale(tag) ? supported.find((each) => each === tag) : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  return "en";
}

/** Keeps the choice and begins anew: every text, number and direction of the page depends on it. */
export function chooseLocale(locale: Locale): void {
  keepPreference(localeKey, locale);
  location.reload();
}
