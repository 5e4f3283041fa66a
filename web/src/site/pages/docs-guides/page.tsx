import { exampleTabs } from "../../docs/api/example-call.ts";
import { callOf, referenceEntries } from "../../docs/api/reference.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { fillSnippet, type SnippetValues, snippetValues } from "../../docs/fill-snippet.ts";
import { guideCalls } from "../../docs/guides/guide-calls.ts";
import type { GuideTexts } from "../../docs/guides/messages/en.ts";
import { guideTexts } from "../../docs/guides/messages/messages.ts";
import type { DocBlock, DocSection } from "../../docs/model.ts";

/** `/docs/guides/`: what models can do besides a plain answer, each with its code. */
export const docsGuidesPage = docPage({
  path: "/docs/guides/",
  updatedOn: "2026-11-28",
  name: docNames["/docs/guides/"],
  content: (_, { locale, catalogue }) => {
    const texts = guideTexts[locale].guides;
    return { title: texts.title, lead: texts.lead, sections: guides(texts, snippetValues(catalogue)) };
  },
});

function guides(texts: GuideTexts["guides"], values: SnippetValues): DocSection[] {
  const embeddings = referenceEntries.find(({ name }) => name === "embeddings");
  const calls = { ...guideCalls, embeddings: embeddings === undefined ? null : callOf(embeddings) };
  const code = (name: keyof typeof calls): DocBlock => {
    const call = calls[name];
    const tabs = call === null ? [] : exampleTabs(`guide-${name}`, call);
    return { kind: "code-tabs", tabs: tabs.map((tab) => ({ ...tab, text: fillSnippet(tab.text, values) })) };
  };
  const section = (
    id: "streaming" | "tools" | "vision" | "embeddings" | "structured",
    example: DocBlock,
  ): DocSection => ({
    id,
    title: texts[id],
    blocks: [
      { kind: "text", text: texts[`${id}Text`] },
      example,
      { kind: "list", items: Object.values(texts[`${id}Rule`]) },
    ],
  });
  return [
    section("streaming", {
      kind: "tabs",
      tabs: [
        { label: "curl", name: "curl-stream" },
        { label: "Python", name: "openai-python" },
        { label: "TypeScript", name: "openai-typescript" },
      ],
    }),
    section("tools", {
      kind: "tabs",
      tabs: [
        { label: "Python", name: "tools-python" },
        { label: "TypeScript", name: "tools-typescript" },
      ],
    }),
    section("vision", code("vision")),
    section("embeddings", code("embeddings")),
    section("structured", code("structured")),
  ];
}
