import { area } from "../../locales.ts";

/** What the backend refuses with, in the language of the user; fetched with the first error. */
export const errorArea = area({
  en: () => import("./en.ts"),
  zh: () => import("./zh.ts"),
  ja: () => import("./ja.ts"),
  ko: () => import("./ko.ts"),
  es: () => import("./es.ts"),
  fr: () => import("./fr.ts"),
  de: () => import("./de.ts"),
  pt: () => import("./pt.ts"),
  ru: () => import("./ru.ts"),
  ar: () => import("./ar.ts"),
  hi: () => import("./hi.ts"),
});
