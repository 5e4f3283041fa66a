import { z } from "zod";

/** Texts and links of the operator that everyone is shown. */

const urlLengthMax = 300;
/** Line breaks, marks that change the direction of text, and what is not a character. Joiners are part of letters. */
const unfit = /(?![\u200C\u200D])[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether a text is one line whose characters can all be seen. */
export function isOneLine(text: string): boolean {
  return !unfit.test(text);
}

/** Whether it leads to a path of this site or is an https URL without a login. */
export function isSafeLink(url: string): boolean {
  return url.length <= urlLengthMax && (isSitePath(url) || isHttpsUrl(url));
}

/** An https URL, a path of this site, or nothing. */
export const linkText = z
  .string("Enter a URL.")
  .trim()
  .refine(
    (url) => url === "" || isSafeLink(url),
    `Enter a URL that begins with https://, a path of this site such as /docs/, or nothing. It may have up to ${urlLengthMax} characters.`,
  );

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
