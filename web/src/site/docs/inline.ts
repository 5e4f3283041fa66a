/** A piece of a sentence. */
export type Inline =
  | { readonly kind: "plain" | "code"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

const pattern = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Parses the marks of a sentence: `code` and [links](/pricing/). Everything else is text. */
export function parseInline(sentence: string): Inline[] {
  const pieces: Inline[] = [];
  let at = 0;
  for (const match of sentence.matchAll(pattern)) {
    const [whole, code, text, href] = match;
    if (match.index > at) {
      pieces.push({ kind: "plain", text: sentence.slice(at, match.index) });
    }
    pieces.push(
      code !== undefined ? { kind: "code", text: code } : { kind: "link", text: text ?? "", href: href ?? "" },
    );
    at = match.index + whole.length;
  }
  if (at < sentence.length) {
    pieces.push({ kind: "plain", text: sentence.slice(at) });
  }
  return pieces;
}
