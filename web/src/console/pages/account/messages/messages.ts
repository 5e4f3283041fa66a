import { area } from "../../../locales.ts";

export const accountArea = area({
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  ar: () => import("./ar.ts"),
});
