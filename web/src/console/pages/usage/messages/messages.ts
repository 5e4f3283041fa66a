import { area } from "../../../locales.ts";

export const usageArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
