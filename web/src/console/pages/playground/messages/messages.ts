import { area } from "../../../locales.ts";

export const playgroundArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
