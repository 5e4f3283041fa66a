import type { SiteTexts } from "../../../locales.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { type ChangelogTexts, en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { hi } from "./hi.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { zh } from "./zh.ts";

export const changelogTexts: SiteTexts<ChangelogTexts> = { en, zh, ja, ko, es, fr, de, pt, ru, ar, hi };
