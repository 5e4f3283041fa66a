import { area, type TextFile } from "../locales.ts";
import type { FrameMessages } from "./en.ts";

/** The texts of the frame, which every page of the console shows. */
export const frameArea = area(import.meta.glob<TextFile<FrameMessages>>("./??.ts"));
