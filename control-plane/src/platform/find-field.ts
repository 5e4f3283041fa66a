import { type Place, stringEnd, topLevelOf } from "./scan-json.ts";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const lastSpace = 0x20;
/** How an escape begins that may be a part of a name. */
const letterEscape = "\\u00";

/**
 * Where the value of a top-level field is in the accepted text of an object that has it; there may be white space around
 * it. A string whose key occurs once in the whole text is found without a scan: a name in quotes is a whole string,
 * unless a backslash comes before it, and without escapes it can't be written in another way.
 * @param name of letters, digits and underscores
 */
export function findField(bytes: Buffer, name: string): Place | undefined {
  const key = `"${name}"`;
  const at = bytes.indexOf(key);
  const isOnce = at !== -1 && bytes[at - 1] !== backslash && !bytes.includes(key, at + key.length);
  if (isOnce && !bytes.includes(letterEscape)) {
    let start = at + key.length;
    while ((bytes[start] ?? quote) <= lastSpace || bytes[start] === colon) {
      start += 1;
    }
    if (bytes[start] === quote) {
      return [start, stringEnd(bytes, start)];
    }
  }
  return topLevelOf(bytes).get(name);
}
