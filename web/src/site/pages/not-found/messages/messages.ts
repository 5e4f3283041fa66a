import type { SiteTexts } from "../../../locales.ts";
import { ar } from "./ar.ts";
import { en, type NotFoundTexts } from "./en.ts";

export const notFoundTexts: SiteTexts<NotFoundTexts> = { en, ar };
