import { formats } from "./formats.ts";
import { said } from "./translate.ts";

/** The text that is shown if there is no value. */
export const dash = "–";

/** An integer in a response, which may be text if a number can't represent it. */
export function shownCount(value: number | string): string {
  return formats.number(BigInt(value));
}

export function shownMoment(time: string | null, otherwise: string = dash): string {
  return time === null ? otherwise : formats.dateTime(time);
}

export function shownText(text: string | null): string {
  return text === null || text === "" ? dash : text;
}

/** The words for an enumeration value: `email_pending` is "email pending". */
export function shownWord(value: string): string {
  return said(value.replaceAll("_", " "));
}

export function shownMs(value: number | null): string {
  return value === null ? dash : formats.milliseconds(value);
}

/** An exact amount of US dollars, or a dash. */
export function shownUsd(usd: string | null): string {
  return usd === null ? dash : formats.usdExact(usd);
}
