import { type Formats, formatsOf } from "../i18n/format.ts";

/** Numbers, amounts and times; the admin is in English. */
export const formats: Formats = formatsOf("en");
