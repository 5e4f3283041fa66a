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
