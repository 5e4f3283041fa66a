/** A longer request is not searched for quotations; the provider's message is then dropped. */
const requestBytesMax = 1_048_576;
/** A run of this many words that also occurs in the request is a quotation. */
const quotedWordsMin = 4;
const hidden = "[request]";

const quotations = /'[^']{1,400}'|"[^"]{1,400}"|`[^`]{1,400}`/g;
/** Field names, which are not secret. */
const fieldName = /^[A-Za-z0-9]*(?:[_.[\]][A-Za-z0-9]*)+$/;
/** Unusual words: with digits and letters, letters of other languages, or very long. */
const oddWord = /\d.*[^\d.,]|[^\d.,].*\d|[^\x20-\x7e]|^.{16,}$/;

/**
 * A provider's message without its quotations of the request: prompts are never stored in plain text. Quoted texts,
 * unusual words, and every few words in a row are hidden wherever the request contains them too.
 * @returns null for a request that is too long to search
 */
export function hideRequest(message: string, request: Uint8Array): string | null {
  if (request.byteLength > requestBytesMax) {
    return null;
  }
  const text = plainText(request);
  const unquoted = message.replace(quotations, (quotation) => {
    const inner = quotation.slice(1, -1);
    return text.includes(inner) && !fieldName.test(inner) ? hidden : quotation;
  });
  return hideWords(unquoted, text);
}

/** The request with its escaped letters decoded. */
function plainText(request: Uint8Array): string {
  const text = Buffer.from(request.buffer, request.byteOffset, request.byteLength).toString("utf8");
  if (!text.includes("\\u")) {
    return text;
  }
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Words and separators alternate, so that a text is reassembled exactly. */
function hideWords(message: string, request: string): string {
  const parts = message.split(/(\s+)/);
  const isHidden = parts.map((part, index) => index % 2 === 0 && isOddIn(part, request));
  for (let first = 0; first < parts.length; first += 2) {
    const end = first + 2 * quotedWordsMin - 1;
    if (end <= parts.length && request.includes(parts.slice(first, end).join(""))) {
      isHidden.fill(true, first, end);
    }
  }
  return parts
    .map((part, index) => (isHidden[index] === true ? hidden : part))
    .filter((part, index, all) => part !== hidden || all[index - 1] !== hidden)
    .join("");
}

function isOddIn(word: string, request: string): boolean {
  const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  return bare !== "" && oddWord.test(bare) && !fieldName.test(bare) && request.includes(bare);
}
