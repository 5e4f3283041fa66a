import { docList } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";

/** `/docs/`: which pages the docs have, and what each of them is for. */
export const docsPage = docPage({
  path: "/docs/",
  updatedOn: "2026-11-28",
  name: ({ frame, index }) => ({ title: frame.nav, description: index.description }),
  content: (texts, { locale }) => ({
    title: texts.frame.nav,
    lead: texts.index.lead,
    sections: docList.map(([path, name]) => {
      const { title, description } = name(texts, locale);
      return {
        id: path.split("/").at(-2) ?? "",
        title,
        blocks: [{ kind: "text", text: `${description} [${title}](${path})` }],
      };
    }),
  }),
});
