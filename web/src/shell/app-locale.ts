import { isLocale, type Locale } from "@sluice/contracts/locales";
import { soundLanguage } from "../i18n/sound-language.ts";

/** Stored by the service: what a visitor chose on the site, and for logged-in users, the language of the account. */
const rememberedPattern = /(?:^|; )SVC_LANG=([a-z]{2})(?:;|$)/;

/** The default is the browser's language, if the product supports it. */
export function findLocale(): Locale {
  const remembered = rememberedPattern.exec(document.cookie)?.[1] ?? "";
  const wished = [remembered, ...navigator.languages.map((tag) => soundLanguage(tag).split("-")[0] ?? "")];
  for (const tag of wished) {
    if (isLocale(tag)) {
      return tag;
    }
  }
  return "en";
}
