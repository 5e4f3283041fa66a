import { area, type TextFile } from "../../../locales.ts";
import type { FigureMessages } from "./en.ts";

export const figuresArea = area(import.meta.glob<TextFile<FigureMessages>>("./??.ts"));
