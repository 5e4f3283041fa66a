import { area, type TextFile } from "../../../locales.ts";
import type { KeysMessages } from "./en.ts";

export const keysArea = area(import.meta.glob<TextFile<KeysMessages>>("./??.ts"));
