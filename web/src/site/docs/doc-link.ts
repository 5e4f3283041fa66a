import type { PageContext } from "../model.ts";

/** The address of a page in the language of this one; those of logins and the console are one for all languages. */
export function localized({ link }: PageContext, path: string): string {
  return /^\/(console|login|register)\//.test(path) ? path : link(path);
}
