import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { guideTexts } from "../../docs/guides/messages/messages.ts";

const troubles = ["key", "address", "model", "balance", "stops", "late", "another", "cost", "support"] as const;

/** `/docs/troubleshooting/`: causes that no error code names. */
export const docsTroubleshootingPage = docPage({
  path: "/docs/troubleshooting/",
  updatedOn: "2026-11-28",
  name: docNames["/docs/troubleshooting/"],
  content: (_, { locale }) => {
    const texts = guideTexts[locale].troubleshooting;
    return {
      title: texts.title,
      lead: texts.lead,
      sections: troubles.map((id) => ({
        id,
        title: texts[id],
        blocks: [
          { kind: "text", text: texts[`${id}Text`] },
          ...(id === "key" ? [{ kind: "snippet", name: "curl-models" } as const] : []),
        ],
      })),
    };
  },
});
