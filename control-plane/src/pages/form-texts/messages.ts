import type { Locale } from "@sluice/contracts/locales";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type FormTexts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { hi } from "./hi.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { zh } from "./zh.ts";

/** The texts of the login pages, in every language of the site. */
export const formTexts: Readonly<Record<Locale, FormTexts>> = { en, zh, ja, ko, es, fr, de, pt, ru, ar, hi };
