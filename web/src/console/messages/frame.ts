import { area, type TextFile } from "../locales.ts";
import type { FrameMessages } from "./en.ts";

/** The words of the frame: what every page of the console shows. */
export const frameArea = area(import.meta.glob<TextFile<FrameMessages>>("./??.ts"));
