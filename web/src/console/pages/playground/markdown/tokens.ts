import { lexer, type Token } from "marked";

/** Markdown as tokens, in which nothing of the text is left out. */
export function readTokens(text: string): Token[] {
  return lexer(text, { gfm: true, breaks: false });
}

/** The tokens that are shown: what comes between blocks is left out. */
export function withoutSpace(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ type }) => type !== "space" && type !== "def");
}

/** Markdown as blocks. */
export function toTokens(text: string): Token[] {
  return withoutSpace(readTokens(text));
}

/** The address of a link, if it leads to the web or to a mailbox; null for any other, such as a script. */
export function safeAddress(address: string): string | null {
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** The characters that entities of HTML stand for, of those that people write; the rest stays as it is. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, name: string = "") => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (Number.isNaN(code)) {
      return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
    }
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
