/** A piece of a snippet and what it is. */
export type CodeToken = { readonly kind: "plain" | "string" | "comment" | "flag"; readonly text: string };

const pattern = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|((?:^|\s)(?:#|\/\/)[^\n]*)|((?:^|\s)--?[a-zA-Z][\w-]*)/g;

/**
 * Splits a snippet into strings, comments and flags; enough for shell, Python, TypeScript and JSON, and nothing to
 * load.
 */
export function toCodeTokens(text: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) {
      tokens.push({ kind: "plain", text: text.slice(at, match.index) });
    }
    const kind = match[1] !== undefined ? "string" : match[2] !== undefined ? "comment" : "flag";
    tokens.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < text.length) {
    tokens.push({ kind: "plain", text: text.slice(at) });
  }
  return tokens;
}
