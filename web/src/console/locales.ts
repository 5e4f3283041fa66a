import type { Locale } from "../i18n/locale.ts";
import { findLocale } from "../shell/app-locale.ts";

/** The languages of the console. With a language that is added here, every area has to have it, or nothing compiles. */
export const consoleLocales = [
  "en",
  "zh",
  "ja",
  "ko",
  "es",
  "fr",
  "de",
  "pt",
  "ru",
  "ar",
  "hi",
] as const satisfies readonly Locale[];

export type ConsoleLocale = (typeof consoleLocales)[number];

export const consoleLocale: ConsoleLocale = findLocale(consoleLocales);

/** The texts of one area in the language of the user, once they are loaded. */
export type Area<Texts> = {
  readonly load: () => Promise<void>;
  readonly texts: () => Texts;
};

type TextFile<Texts> = { readonly messages: Texts };

/** Declares an area: one file for each language, of which only one is fetched. */
export function area<Texts>(files: Readonly<Record<ConsoleLocale, () => Promise<TextFile<Texts>>>>): Area<Texts> {
  let loaded: Texts | null = null;
  return {
    load: async () => {
      loaded ??= (await files[consoleLocale]()).messages;
    },
    texts: () => {
      if (loaded === null) {
        throw new Error("the texts of an area are used before they are loaded; name the area in routes.ts");
      }
      return loaded;
    },
  };
}
