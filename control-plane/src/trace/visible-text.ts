/** C0 and C1 controls, DEL, line and paragraph separators, byte order mark, and marks that change the direction of text. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const allInvisible = new RegExp(invisible, "g");

/**
 * A stranger's text in a form that can be stored and shown: control characters, line breaks and direction marks are
 * written as `\u001b`, unpaired surrogates (which Postgres refuses) become U+FFFD, and anything over `bytesMax` bytes
 * of UTF-8 is cut off between two characters.
 */
export function visibleText(text: string, bytesMax: number): string {
  const shown = invisible.test(text)
    ? // A long text is truncated first, so that escaping never works on more than the result needs.
      text.slice(0, bytesMax).replace(allInvisible, escapeCharacter)
    : text;
  return cutToBytes(shown.toWellFormed(), bytesMax);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A UTF-16 unit has at most three bytes of UTF-8, so short texts need no counting. */
const bytesPerUnitMax = 3;

function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * bytesPerUnitMax <= bytesMax) {
    return text;
  }
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
