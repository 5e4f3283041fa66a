import { docPage } from "../../docs/doc-page.tsx";

/** `/docs/`: which pages the docs have, and what each of them is for. */
export const docsPage = docPage({
  path: "/docs/",
  updatedOn: "2026-11-22",
  name: ({ frame, index }) => ({ title: frame.nav, description: index.description }),
  content: ({ frame, index, quickstart, clients, agents, billing }) => ({
    title: frame.nav,
    lead: index.lead,
    sections: Object.entries({ quickstart, clients, agents, billing }).map(([id, { title, description }]) => ({
      id,
      title,
      blocks: [{ kind: "text", text: `${description} [${title}](/docs/${id}/)` }],
    })),
  }),
});
