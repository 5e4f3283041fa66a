import { z } from "zod";

const nameLengthMax = 40;
const addressLengthMax = 254;
/** Line breaks, marks that change the direction of text, and what is not a character. Joiners are part of letters. */
const unfit = /(?![\u200C\u200D])[\p{C}\p{Zl}\p{Zp}]/u;

/** The name of a service: one line with at least one letter or digit. */
export const brandNameText = z
  .string("Enter a name.")
  .trim()
  .refine((name) => name.length <= nameLengthMax, `Enter at most ${nameLengthMax} characters.`)
  .refine((name) => !unfit.test(name), "Remove line breaks and invisible characters, such as direction marks.")
  .refine((name) => /[\p{L}\p{N}]/u.test(name), "Enter a name with at least one letter or digit.");

/** An e-mail address, or nothing. */
export const supportAddressText = z
  .string("Enter an e-mail address.")
  .trim()
  .refine(
    (address) => address === "" || (address.length <= addressLengthMax && z.email().safeParse(address).success),
    "Enter an e-mail address, or nothing.",
  );

const urlLengthMax = 300;
const announcementLengthMax = 200;

/** An https URL, a path of this site, or nothing. */
export const linkText = z
  .string("Enter a URL.")
  .trim()
  .refine(
    (url) => url === "" || (url.length <= urlLengthMax && (isSitePath(url) || isHttpsUrl(url))),
    `Enter a URL that begins with https://, a path of this site such as /docs/, or nothing. It may have up to ${urlLengthMax} characters.`,
  );

/** One line of text, or nothing. */
export const announcementText = z
  .string("Enter a text.")
  .trim()
  .refine((line) => line.length <= announcementLengthMax, `Enter at most ${announcementLengthMax} characters.`)
  .refine((line) => !unfit.test(line), "Remove line breaks and invisible characters, such as direction marks.");

/** A minute in UTC such as `2030-12-24 18:00`, or nothing. */
export const minuteText = z
  .string("Enter a time.")
  .trim()
  .refine(
    (written) => written === "" || minuteOf(written) !== null,
    "Enter a time in UTC such as 2030-12-24 18:00, or nothing.",
  );

/** The moment of a minute such as `2030-12-24 18:00`, in milliseconds since 1970; null if there is none. */
export function minuteOf(written: string): number | null {
  const [, day, time] = /^(20\d\d-\d\d-\d\d) (\d\d:\d\d)$/.exec(written) ?? [];
  const moment = new Date(`${day}T${time}:00.000Z`);
  // A date such as 30 February moves on to March when it is read.
  return Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== day ? null : moment.getTime();
}

/** Why nobody would ever see an announcement with these times; null if someone can. */
export function announcementFault(from: string, until: string): string | null {
  const [begins, ends] = [minuteOf(from), minuteOf(until)];
  return begins !== null && ends !== null && ends <= begins
    ? `The announcement would end (${until}) before it begins (${from}). Change the other time first, or leave it empty.`
    : null;
}

function isSitePath(url: string): boolean {
  return /^\/(?![/\\])[\w./~%?&=#-]*$/.test(url);
}

function isHttpsUrl(url: string): boolean {
  if (!/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) {
    return false;
  }
  const { username, password } = new URL(url);
  return username === "" && password === "";
}
