import { area } from "../../../locales.ts";

export const upstreamsArea = area({
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  ar: () => import("./ar.ts"),
});
