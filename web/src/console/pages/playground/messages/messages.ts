import { area } from "../../../locales.ts";

export const playgroundArea = area({
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  ar: () => import("./ar.ts"),
});
