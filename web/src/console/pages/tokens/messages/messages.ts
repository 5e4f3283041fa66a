import { area, type TextFile } from "../../../locales.ts";
import type { TokenMessages } from "./en.ts";

export const tokensArea = area(import.meta.glob<TextFile<TokenMessages>>("./??.ts"));
