import type { PageContext } from "../model.ts";

/** The URL of a page in the language of this one; forms have their own URLs, and the console has one for all. */
export function localized({ link, formLink }: PageContext, path: string): string {
  if (path.startsWith("/console/")) {
    return path;
  }
  return /^\/(login|register)\//.test(path) ? formLink(path) : link(path);
}
