import { area, type TextFile } from "../../../locales.ts";
import type { HomeMessages } from "./en.ts";

export const homeArea = area(import.meta.glob<TextFile<HomeMessages>>("./??.ts"));
