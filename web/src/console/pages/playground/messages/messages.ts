import { area } from "../../../locales.ts";

export const playgroundArea = area({
  en: () => import("./en.ts"),
  es: () => import("./es.ts"),
  fr: () => import("./fr.ts"),
  de: () => import("./de.ts"),
  pt: () => import("./pt.ts"),
  ar: () => import("./ar.ts"),
});
