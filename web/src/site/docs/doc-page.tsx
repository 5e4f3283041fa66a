import type { PageContext, SitePage } from "../model.ts";
import { DocArticle } from "./doc-article.tsx";
import { localized } from "./doc-link.ts";
import type { DocName } from "./doc-list.ts";
import { fillSnippet, snippetValues } from "./fill-snippet.ts";
import { docMarkdown, markdownPath } from "./markdown.ts";
import type { DocTexts } from "./messages/en.ts";
import { docTexts } from "./messages/messages.ts";
import type { DocContent } from "./model.ts";
import { searchPageOf } from "./search-text.ts";
import { snippets } from "./snippets.ts";

export type DocSource = {
  /** With both slashes. */
  readonly path: string;
  /** The day of the last change to its content, such as `2026-11-21`. */
  readonly updatedOn: string;
  readonly name: DocName;
  readonly content: (texts: DocTexts, context: PageContext) => DocContent;
};

/** A page of the docs as a page of the site, with its Markdown. */
export function docPage(source: DocSource): SitePage {
  const { path, updatedOn, name, content } = source;
  return {
    path,
    title: (locale) => name(docTexts[locale], locale).title,
    description: (locale) => name(docTexts[locale], locale).description,
    isIndexed: true,
    islands: [],
    scripts: ["docs-tools"],
    searchPage: (context) => searchPageOf(context.link(path), content(docTexts[context.locale], context)),
    markdown: (context) =>
      docMarkdown({
        content: content(docTexts[context.locale], context),
        snippet: (snippet) => fillSnippet(snippets[snippet], snippetValues(context.catalogue)),
        address: (target) => context.catalogue.origin + localized(context, target),
      }),
    content: (context) => (
      <DocArticle
        path={path}
        updatedOn={updatedOn}
        content={content(docTexts[context.locale], context)}
        context={context}
        markdownPath={context.link(markdownPath(path))}
      />
    ),
  };
}
