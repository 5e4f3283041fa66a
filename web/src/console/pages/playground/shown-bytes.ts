import { formatTagOf } from "../../../i18n/locale.ts";
import { consoleLocale } from "../../locales.ts";

const kibibyte = 1024;

/** A size in the largest unit that it fills, in the language of the user. */
export function shownBytes(bytes: number): string {
  // A small file is shown as what it is, and not as nothing.
  const isLarge = bytes >= kibibyte * kibibyte;
  const [unit, value] = isLarge
    ? ["megabyte", bytes / kibibyte / kibibyte]
    : ["kilobyte", Math.max(bytes / kibibyte, 0.1)];
  const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(formatTagOf(consoleLocale), options as Intl.NumberFormatOptions).format(Number(value));
}
