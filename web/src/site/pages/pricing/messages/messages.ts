import type { SiteTexts } from "../../../locales.ts";
import { ar } from "./ar.ts";
import { en, type PricingTexts } from "./en.ts";

export const pricingTexts: SiteTexts<PricingTexts> = { en, ar };
