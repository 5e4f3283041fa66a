import type { Token, Tokens } from "marked";
import { readTokens, withoutSpace } from "./tokens.ts";

/** What is still growing and no longer than this is read again each time. */
const freeLength = 2_000;
/** What is longer is read again once it has grown by this part of it: reading all of it takes time in line with its length. */
const growthShare = 32;

/**
 * Reads a text that grows as its tokens. Blocks that can't change any more are read once and stay the same objects; of the
 * rest, code that has begun grows without being read. The text may end in the middle of anything.
 */
export function createGrowingTokens(): (text: string) => readonly Token[] {
  let settled: readonly Token[] = [];
  let settledLength = 0;
  let rest: readonly Token[] = [];
  let code: OpenCode | null = null;
  let length = 0;
  const read = (source: string): void => {
    const tokens = readTokens(source);
    // Lengths of tokens are of a text without carriage returns: a text with some is read whole.
    const hasReturns = source.includes("\r");
    const count = hasReturns ? 0 : countSettled(tokens);
    settled = [...settled, ...withoutSpace(tokens.slice(0, count))];
    settledLength += tokens.slice(0, count).reduce((sum, { raw }) => sum + raw.length, 0);
    rest = tokens.slice(count);
    code = hasReturns ? null : openCode(rest.at(-1));
  };
  return (text) => {
    if (text.length < length) {
      [settled, settledLength, rest, code, length] = [[], 0, [], null, 0];
    }
    const added = text.slice(length);
    const isDue = added.length * growthShare >= length - settledLength - freeLength;
    if (code !== null && !mayEnd(code, added)) {
      code = { ...code, token: longer(code.token, added) };
      rest = [...rest.slice(0, -1), code.token];
      length = text.length;
    } else if (isDue || (code !== null && ends(code, added))) {
      read(text.slice(settledLength));
      length = text.length;
    }
    return [...settled, ...withoutSpace(rest)];
  };
}

/**
 * How many of the first tokens stay as they are, whatever follows: code whose end is there, and blocks with an empty line and another
 * block after them. Without an empty line between them, a block can still become a part of the one before.
 */
function countSettled(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  for (let at = tokens.length - 1; at > 0; at -= 1) {
    const before = tokens[at - 1];
    const isApart = at <= last && (before?.type === "space" || before?.raw.endsWith("\n\n") === true);
    if (isApart || (before !== undefined && fenceOf(before) !== null)) {
      return at;
    }
  }
  return 0;
}

const fence = /^(`{3,}|~{3,})[^`\n]*\n/;

/** The mark that opens code and ends it; null for anything else. */
function fenceOf({ type, raw }: Token): string | null {
  return type === "code" ? (fence.exec(raw)?.[1] ?? null) : null;
}

/** Code at the end of the text whose end has not come. */
type OpenCode = { readonly token: Tokens.Code; readonly mark: string };

function openCode(token: Token | undefined): OpenCode | null {
  const mark = token === undefined ? null : fenceOf(token);
  if (token === undefined || mark === null || token.raw.slice(mark.length).includes(mark)) {
    return null;
  }
  return { token: token as Tokens.Code, mark };
}

function longer(token: Tokens.Code, added: string): Tokens.Code {
  const raw = token.raw + added;
  return { ...token, raw, text: raw.slice(raw.indexOf("\n") + 1).replace(/\n$/, "") };
}

/** Whether the mark is in what was added, or ends there. */
function mayEnd({ token, mark }: OpenCode, added: string): boolean {
  return (token.raw.slice(1 - mark.length) + added).includes(mark);
}

/** Whether a line that ends the code was added. */
function ends({ token, mark }: OpenCode, added: string): boolean {
  const line = token.raw.slice(token.raw.lastIndexOf("\n")) + added;
  return new RegExp(`\\n {0,3}${mark}[\`~]* *\\n`).test(line);
}
