import { area, type TextFile } from "../../locales.ts";
import type { ErrorMessages } from "./en.ts";

/** The backend's errors in the user's language; fetched with the first error. */
export const errorArea = area(import.meta.glob<TextFile<ErrorMessages>>("./??.ts"));
