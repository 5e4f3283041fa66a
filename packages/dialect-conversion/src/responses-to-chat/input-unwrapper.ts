/** Models write no more than a few spaces. */
const opening = /^\s{0,64}\{\s{0,64}"input"\s{0,64}:\s{0,64}"/;
/** What is longer and has no such beginning gets none. */
const openingLengthMax = 300;
const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ...[["n", "\n"] as const, ["t", "\t"] as const, ["r", "\r"] as const, ["b", "\b"] as const, ["f", "\f"] as const],
  ...[['"', '"'] as const, ["\\", "\\"] as const, ["/", "/"] as const],
]);
const fourDigits = /^[0-9a-fA-F]{4}$/;
const hexLength = 4;

/**
 * Reads the text out of `{"input":"..."}` while it comes, so that a client sees a long input grow. It takes what models
 * get wrong inside the text, such as line breaks that are not escaped, for what they meant.
 */
export class InputUnwrapper {
  #place: "before" | "inside" | "after" | "elsewhere" = "before";
  /** What is not yet clear: the beginning, an escape, or the first half of a character. */
  #held = "";

  /** The text is there, although it may not be complete. False also means that something else came. */
  get hasOpened(): boolean {
    return this.#place === "inside" || this.#place === "after";
  }

  /** The text that is certain after the next piece. */
  push(piece: string): string {
    switch (this.#place) {
      case "before":
        return this.#begin(this.#held + piece);
      case "inside":
        return this.#read(this.#held + piece);
      default:
        return "";
    }
  }

  #begin(text: string): string {
    const [found] = opening.exec(text) ?? [];
    if (found !== undefined) {
      this.#place = "inside";
      return this.#read(text.slice(found.length));
    }
    if (text.length > openingLengthMax) {
      this.#place = "elsewhere";
      this.#held = "";
    } else {
      this.#held = text;
    }
    return "";
  }

  #read(text: string): string {
    this.#held = "";
    const parts: string[] = [];
    let at = 0;
    while (at < text.length) {
      const end = indexOfSign(text, at);
      parts.push(text.slice(at, end));
      at = end;
      if (text[at] === '"') {
        this.#place = "after";
        break;
      }
      if (text[at] === "\\") {
        const found = readEscape(text, at);
        if (found === null) {
          this.#held = text.slice(at);
          break;
        }
        parts.push(found.text);
        at += found.length;
      }
    }
    return this.#keepHalf(parts.join(""));
  }

  /** Half of a character, alone in an event, is an error for some clients. */
  #keepHalf(text: string): string {
    if (this.#place !== "inside" || !isFirstHalf(text.charCodeAt(text.length - 1))) {
      return text;
    }
    this.#held = text.slice(-1) + this.#held;
    return text.slice(0, -1);
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Where the text has its next quotation mark or backslash, or ends. */
function indexOfSign(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"' || text[at] === "\\") {
      return at;
    }
  }
  return text.length;
}

/** The escape at a place; itself if it is not one; null if more of it has to come. */
function readEscape(text: string, at: number): { readonly text: string; readonly length: number } | null {
  const sign = text[at + 1];
  if (sign === undefined) {
    return null;
  }
  if (sign !== "u") {
    return { text: simpleEscapes.get(sign) ?? `\\${sign}`, length: 2 };
  }
  const digits = text.slice(at + 2, at + 2 + hexLength);
  if (digits.length < hexLength && /^[0-9a-fA-F]*$/.test(digits)) {
    return null;
  }
  return fourDigits.test(digits)
    ? { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 2 + hexLength }
    : { text: "\\u", length: 2 };
}
