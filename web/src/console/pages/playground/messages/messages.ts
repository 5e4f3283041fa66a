import { area, type TextFile } from "../../../locales.ts";
import type { PlaygroundMessages } from "./en.ts";

export const playgroundArea = area(import.meta.glob<TextFile<PlaygroundMessages>>("./??.ts"));
