/** The header by which a client tags a call: `team=search, feature=chat`. */
export const tagsHeader = "x-sluice-tags";

export const tagsMax = 8;
export const tagsHeaderLengthMax = 1_024;
export const endUserLengthMax = 256;

/** A name of up to 32 characters, and a value of up to 64 that neither begins nor ends with a space. */
const tagPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,31}=(?! )[A-Za-z0-9_.:@/+ -]{1,64}(?<! )$/;
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text is a tag as it is stored: `name=value`. */
export function isTag(text: string): boolean {
  return tagPattern.test(text);
}

/** Whether a text can name an end user: short, and without characters that nobody sees. */
export function isEndUser(text: string): boolean {
  return text !== "" && text.length <= endUserLengthMax && !hiddenCharacters.test(text);
}
