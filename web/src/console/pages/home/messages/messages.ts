import { area } from "../../../locales.ts";

export const homeArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
