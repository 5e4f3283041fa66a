import { area, type TextFile } from "../../../locales.ts";
import type { UsageMessages } from "./en.ts";

export const usageArea = area(import.meta.glob<TextFile<UsageMessages>>("./??.ts"));
