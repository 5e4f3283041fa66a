import { area, type TextFile } from "../../locales.ts";
import type { ErrorMessages } from "./en.ts";

/** What the backend refuses with, in the language of the user; fetched with the first error. */
export const errorArea = area(import.meta.glob<TextFile<ErrorMessages>>("./??.ts"));
