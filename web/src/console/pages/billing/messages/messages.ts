import { area } from "../../../locales.ts";

export const billingArea = area({
  en: () => import("./en.ts"),
  ar: () => import("./ar.ts"),
});
