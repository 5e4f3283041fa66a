/** Where the scripts begin whose characters are syllables or words. */
const firstSign = 0x1100;
/** Latin letters and those of the alphabets beside it, which end here; letters after it are shorter tokens. */
const lastLatin = 0x24f;
const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;

/** Words of texts are shorter than this; a longer run of letters is not a word, and its tokens have fewer letters. */
const wordLettersMax = 16;

/** In quarters of a token, what a character of each kind is at most a part of. */
const quarters = { letter: 1, foreignLetter: 2, strayLetter: 3, other: 4, sign: 4, half: 8 } as const;

/**
 * At least as many tokens as a tokenizer finds in a text: of words four letters each or more, of other alphabets two, and
 * of digits, punctuation, and characters that are a syllable or a word, one. The whole text is read.
 */
export function boundTokens(text: string): number {
  let sum = 0;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isLatinLetter(code)) {
      run += 1;
      sum += run > wordLettersMax ? quarters.strayLetter : quarters.letter;
    } else {
      run = 0;
      sum += quartersOf(code);
    }
  }
  return Math.ceil(sum / 4);
}

function quartersOf(code: number): number {
  const space = 0x20;
  if (code === space) {
    // It belongs to the word after it.
    return quarters.letter;
  }
  if (code > lastLatin && code < firstSign) {
    return quarters.foreignLetter;
  }
  return code >= firstSurrogate && code <= lastSurrogate ? quarters.half : quarters.other;
}

function isLatinLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0xc0 && code <= lastLatin);
}
