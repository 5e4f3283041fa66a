import { type Formats, formatsOf } from "../i18n/format.ts";
import { consoleLocale } from "./locales.ts";

/** Numbers, amounts and times in the language of the user. */
export const formats: Formats = formatsOf(consoleLocale);
