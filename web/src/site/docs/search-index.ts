/** A section of the docs that can be found. */
export type SearchSection = { readonly id: string; readonly title: string; readonly text: string };
/** A page of the docs with its sections; the path is that in its language. */
export type SearchPage = { readonly path: string; readonly title: string; readonly sections: readonly SearchSection[] };

/** A section that has every word of a search. */
export type SearchHit = {
  readonly href: string;
  readonly page: string;
  readonly title: string;
  /** The text around the first word that was found in it. */
  readonly excerpt: string;
};

const wordsMax = 8;
const hitsMax = 20;
const queryLengthMax = 100;
const excerptBefore = 30;
const excerptLength = 110;

/** The weight of a word by the place in which it is found. */
const weights = { title: 8, page: 4, text: 1 } as const;

/** A text as it is compared: without accents, in small letters. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The sections that have every word of the query, the best ones first. */
export function searchDocs(pages: readonly SearchPage[], query: string): SearchHit[] {
  const words = folded(query.slice(0, queryLengthMax))
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, wordsMax);
  if (words.length === 0) {
    return [];
  }
  const rated = pages.flatMap((page) =>
    page.sections.map((section) => ({ page, section, score: scoreOf(page, section, words) })),
  );
  return rated
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ page, section }) => ({
      href: `${page.path}#${section.id}`,
      page: page.title,
      title: section.title,
      excerpt: excerptOf(section.text, words),
    }));
}

/** 0 for a section that lacks one of the words. */
function scoreOf(page: SearchPage, section: SearchSection, words: readonly string[]): number {
  const places = [
    [folded(section.title), weights.title],
    [folded(page.title), weights.page],
    [folded(section.text), weights.text],
  ] as const;
  const scores = words.map((word) =>
    places.reduce((sum, [text, weight]) => sum + (text.includes(word) ? weight : 0), 0),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.toLowerCase();
  const found = words.map((word) => plain.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...(found.length === 0 ? [0] : found)) - excerptBefore);
  const end = Math.min(text.length, start + excerptLength);
  return `${start > 0 ? "…" : ""}${text.slice(start, end).trim()}${end < text.length ? "…" : ""}`;
}
