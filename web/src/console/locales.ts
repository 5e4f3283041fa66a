import type { Locale } from "@sluice/contracts/locales";
import { findLocale } from "../shell/app-locale.ts";

export const consoleLocale: Locale = findLocale();

/** The texts of one area in the user's language, once loaded. */
export type Area<Texts> = {
  readonly load: () => Promise<void>;
  readonly texts: () => Texts;
};

/** One language of an area. */
export type TextFile<Texts> = { readonly messages: Texts };

/** Declares an area: `import.meta.glob` of its text files, one for each language; only one is fetched. */
export function area<Texts>(files: Readonly<Record<string, () => Promise<TextFile<Texts>>>>): Area<Texts> {
  let loaded: Texts | null = null;
  return {
    load: async () => {
      const file = files[`./${consoleLocale}.ts`];
      if (file === undefined) {
        throw new Error(`an area has no texts in ${consoleLocale}`);
      }
      loaded ??= (await file()).messages;
    },
    texts: () => {
      if (loaded === null) {
        throw new Error("the texts of an area are used before they are loaded; name the area in `texts` of routes.ts");
      }
      return loaded;
    },
  };
}
