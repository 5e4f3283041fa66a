import { area, type TextFile } from "../../../locales.ts";
import type { AccountMessages } from "./en.ts";

export const accountArea = area(import.meta.glob<TextFile<AccountMessages>>("./??.ts"));
