import { type Formats, formatsOf } from "../i18n/format.ts";
import { adminLocale } from "./translate.ts";

/** Numbers, amounts and times in the language of the admin. */
export const formats: Formats = formatsOf(adminLocale);
