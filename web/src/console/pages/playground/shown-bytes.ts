import { formatTagOf } from "../../../i18n/locale.ts";
import { consoleLocale } from "../../locales.ts";

const kibibyte = 1024;

/** A size in the largest unit that it fills, in the language of the user. */
export function shownBytes(bytes: number): string {
  const [unit, value] =
    bytes < kibibyte * kibibyte ? ["kilobyte", bytes / kibibyte] : ["megabyte", bytes / kibibyte / kibibyte];
  const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(formatTagOf(consoleLocale), options as Intl.NumberFormatOptions).format(Number(value));
}
