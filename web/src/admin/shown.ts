import { formats } from "./formats.ts";

/** Shown where there is nothing to show. */
export const dash = "–";

/** An integer of an answer, which may be text where a number can't hold it. */
export function shownCount(value: number | string): string {
  return formats.number(BigInt(value));
}

export function shownMoment(time: string | null, otherwise: string = dash): string {
  return time === null ? otherwise : formats.dateTime(time);
}

export function shownText(text: string | null): string {
  return text === null || text === "" ? dash : text;
}

/** The word of a value of an enumeration: `email_pending` is "email pending". */
export function shownWord(value: string): string {
  return value.replaceAll("_", " ");
}

export function shownMs(value: number | null): string {
  return value === null ? dash : formats.milliseconds(value);
}
