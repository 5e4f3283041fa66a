import { isHexColour } from "@sluice/contracts/accent-colours";
import { isOneLine } from "@sluice/contracts/shown-texts";
import { z } from "zod";

const nameLengthMax = 40;
const addressLengthMax = 254;

/** The name of a service: one line with at least one letter or digit. */
export const brandNameText = z
  .string("Enter a name.")
  .trim()
  .refine((name) => name.length <= nameLengthMax, `Enter at most ${nameLengthMax} characters.`)
  .refine((name) => isOneLine(name), "Remove line breaks and invisible characters, such as direction marks.")
  .refine((name) => /[\p{L}\p{N}]/u.test(name), "Enter a name with at least one letter or digit.");

/** The name that mails come from, or nothing for that of the service. */
export const senderNameText = z
  .string("Enter a name.")
  .trim()
  .refine(
    (name) => name === "" || brandNameText.safeParse(name).success,
    `Enter one line with a letter or digit and at most ${nameLengthMax} characters, or nothing.`,
  );

/** A colour such as `#0b6b5f`, or nothing for the shipped one. */
export const accentText = z
  .string("Enter a colour.")
  .trim()
  .toLowerCase()
  .refine((colour) => colour === "" || isHexColour(colour), "Enter a colour such as #0b6b5f, or nothing.");

/** An e-mail address, or nothing. */
export const supportAddressText = z
  .string("Enter an e-mail address.")
  .trim()
  .refine(
    (address) => address === "" || (address.length <= addressLengthMax && z.email().safeParse(address).success),
    "Enter an e-mail address, or nothing.",
  );

const announcementLengthMax = 200;

/** One line of text, or nothing. */
export const announcementText = z
  .string("Enter the text.")
  .trim()
  .refine((line) => line.length <= announcementLengthMax, `Enter at most ${announcementLengthMax} characters.`)
  .refine((line) => isOneLine(line), "Remove line breaks and invisible characters, such as direction marks.");

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
