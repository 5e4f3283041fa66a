import type { PageContext } from "../model.ts";

/** What the search of the docs knows, in each language. */
export const searchIndexPath = "/docs/search.json";

/**
 * The URL of a page in the language of this one; forms have their own URLs, and the console and the description of the
 * API have one for all.
 */
export function localized({ link, formLink }: PageContext, path: string): string {
  if (/^(\/(console|backend)\/|https:)/.test(path)) {
    return path;
  }
  return /^\/(login|register)\//.test(path) ? formLink(path) : link(path);
}
