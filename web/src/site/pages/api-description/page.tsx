import { DocNav, DocSearch } from "../../docs/doc-article.tsx";
import type { SitePage } from "../../model.ts";

/**
 * The frame of `/backend/docs/`, which is in English like every description of an operation. The service replaces the place in
 * it by the content, an article and the links to its groups.
 */
export const apiDescriptionPage: SitePage = {
  path: "/api-description.html",
  translationsAt: "/docs/api/",
  title: () => "Every operation",
  description: () => "Every operation of the API: who may call it, with which fields, and what comes back.",
  isIndexed: false,
  islands: [],
  scripts: ["docs-tools", "api-page"],
  content: (context) => (
    <div class="docs">
      <DocNav path="/backend/docs/" context={context} />
      {"{api-description}"}
      <p class="visually-hidden" role="status" data-copy-status />
      <DocSearch context={context} />
    </div>
  ),
};
