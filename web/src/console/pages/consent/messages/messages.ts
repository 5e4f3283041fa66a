import { area, type TextFile } from "../../../locales.ts";
import type { ConsentMessages } from "./en.ts";

export const consentArea = area(import.meta.glob<TextFile<ConsentMessages>>("./??.ts"));
