import type { Locale } from "@sluice/contracts/locales";
import { searchIndexPath } from "../site/docs/doc-link.ts";
import { type SearchPage, searchDocs } from "../site/docs/search-index.ts";
import { localizedPath } from "../site/locales.ts";
import type { PaletteEntry } from "./palette-entries.ts";

type Asked = {
  readonly locale: Locale;
  /** What a section of the docs is called in the palette. */
  readonly kind: string;
  readonly open: (href: string) => void;
  readonly signal: AbortSignal;
};

const wordsMin = 2;
const shownMax = 6;
/** The texts of the docs in one language, loaded with the first search. */
let kept: { readonly locale: Locale; readonly pages: readonly SearchPage[] } | null = null;

/**
 * The sections of the docs that have all the words, the best ones first.
 * @throws Error when the texts of the docs can't be loaded; the next search asks for them again
 */
export async function findDocs(words: string, { locale, kind, open, signal }: Asked): Promise<readonly PaletteEntry[]> {
  if (words.length < wordsMin) {
    return [];
  }
  if (kept?.locale !== locale) {
    kept = { locale, pages: await loadPages(locale, signal) };
  }
  return searchDocs(kept.pages, words)
    .slice(0, shownMax)
    .map(({ href, page, title }) => ({ label: title, kind: `${kind}: ${page}`, onSelect: () => open(href) }));
}

async function loadPages(locale: Locale, signal: AbortSignal): Promise<readonly SearchPage[]> {
  const path = localizedPath(searchIndexPath, locale);
  const answer = await fetch(path, { signal });
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}`);
  }
  return (await answer.json()) as readonly SearchPage[];
}
