import { fill } from "../../../i18n/messages.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { firstCallTabs } from "../../docs/snippet-tabs.ts";

/** `/docs/quickstart/`: from an account to the first response. */
export const docsQuickstartPage = docPage({
  path: "/docs/quickstart/",
  updatedOn: "2026-11-21",
  name: docNames["/docs/quickstart/"],
  content: ({ quickstart: texts }, { catalogue }) => ({
    title: texts.title,
    lead: texts.lead,
    sections: [
      { id: "account", title: texts.account, blocks: [{ kind: "text", text: texts.accountText }] },
      { id: "credit", title: texts.credit, blocks: [{ kind: "text", text: texts.creditText }] },
      {
        id: "key",
        title: texts.key,
        blocks: [
          { kind: "text", text: texts.keyText },
          { kind: "snippet", name: "environment" },
        ],
      },
      {
        id: "call",
        title: texts.call,
        blocks: [
          { kind: "tabs", tabs: firstCallTabs },
          { kind: "text", text: texts.callDone },
          { kind: "text", text: texts.callText },
          { kind: "snippet", name: "curl-models" },
        ],
      },
      {
        id: "addresses",
        title: texts.addresses,
        blocks: [
          {
            kind: "table",
            label: texts.addresses,
            head: [texts.api, texts.baseUrl, texts.keyHeader],
            rows: [
              ["OpenAI", `\`${catalogue.origin}/v1\``, "`Authorization: Bearer`"],
              [
                "Anthropic",
                `\`${catalogue.origin}/msgcompat\``,
                fill(texts.or, { one: "`x-api-key`", other: "`Authorization: Bearer`" }),
              ],
            ],
          },
        ],
      },
      { id: "next", title: texts.nextSteps, blocks: [{ kind: "text", text: texts.nextText }] },
    ],
  }),
});
