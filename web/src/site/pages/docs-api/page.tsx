import { apiTexts } from "../../docs/api/messages/messages.ts";
import { referenceSections } from "../../docs/api/reference-sections.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { snippetValues } from "../../docs/fill-snippet.ts";

/** `/docs/api/`: each route that takes an API key, as the contracts describe it. */
export const docsApiPage = docPage({
  path: "/docs/api/",
  updatedOn: "2026-11-28",
  name: docNames["/docs/api/"],
  content: (_, { locale, catalogue }) => {
    const texts = apiTexts[locale];
    return {
      title: texts.title,
      lead: texts.lead,
      sections: referenceSections(texts, snippetValues(catalogue)),
    };
  },
});
