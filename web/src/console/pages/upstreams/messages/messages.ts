import { area } from "../../../locales.ts";

export const upstreamsArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
