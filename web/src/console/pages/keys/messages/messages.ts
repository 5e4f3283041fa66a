import { area } from "../../../locales.ts";

export const keysArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
