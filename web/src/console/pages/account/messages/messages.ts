import { area } from "../../../locales.ts";

export const accountArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
