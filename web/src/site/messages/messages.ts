import type { SiteTexts } from "../locales.ts";
import { ar } from "./ar.ts";
import { en, type FrameTexts } from "./en.ts";

/** What stands around every public page. */
export const frameTexts: SiteTexts<FrameTexts> = { en, ar };
