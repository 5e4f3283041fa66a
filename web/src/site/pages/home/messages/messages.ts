import type { SiteTexts } from "../../../locales.ts";
import { ar } from "./ar.ts";
import { en, type HomeTexts } from "./en.ts";

export const homeTexts: SiteTexts<HomeTexts> = { en, ar };
