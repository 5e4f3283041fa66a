import { area } from "../locales.ts";

/** The words of the frame: what every page of the console shows. */
export const frameArea = area({
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  ar: () => import("./ar.ts"),
});
