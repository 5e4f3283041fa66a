import { adminLocale } from "./translate.ts";

const languages = new Intl.DisplayNames(adminLocale, { type: "language" });

/** The name of a language in the language of the admin. */
export const languageName = (locale: string): string => languages.of(locale) ?? locale;
