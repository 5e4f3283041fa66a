import type { Locale } from "@sluice/contracts/locales";
import { findLocale } from "../shell/app-locale.ts";

export const consoleLocale: Locale = findLocale();

/** The texts of one area in the language of the user, once they are loaded. */
export type Area<Texts> = {
  readonly load: () => Promise<void>;
  readonly texts: () => Texts;
};

type TextFile<Texts> = { readonly messages: Texts };

/** Declares an area: one file for each language of the product, without which it does not compile; only one is fetched. */
export function area<Texts>(files: Readonly<Record<Locale, () => Promise<TextFile<Texts>>>>): Area<Texts> {
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
