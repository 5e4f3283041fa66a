import { area } from "../../../locales.ts";

export const keysArea = area({
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
