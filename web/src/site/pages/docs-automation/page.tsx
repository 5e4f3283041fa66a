import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import type { DocBlock } from "../../docs/model.ts";

const text = (sentence: string): DocBlock => ({ kind: "text", text: sentence });
const list = (items: Readonly<Record<string, string>>): DocBlock => ({ kind: "list", items: Object.values(items) });

/** `/docs/automation/`: webhooks, access tokens and the command line. */
export const docsAutomationPage = docPage({
  path: "/docs/automation/",
  updatedOn: "2026-11-28",
  name: docNames["/docs/automation/"],
  content: ({ automation: texts }) => ({
    title: texts.title,
    lead: texts.lead,
    sections: [
      {
        id: "webhooks",
        title: texts.webhooks,
        blocks: [
          text(texts.webhooksText),
          {
            kind: "table",
            label: texts.webhooks,
            head: [texts.event, texts.when],
            rows: [
              ["`key.created`", texts.keyCreated],
              ["`balance.low`", texts.balanceLow],
              ["`payment.settled`", texts.paymentSettled],
            ],
          },
        ],
      },
      { id: "signatures", title: texts.signatures, blocks: [text(texts.signaturesText)] },
      { id: "delivery", title: texts.delivery, blocks: [list(texts.deliveryRule), text(texts.deliveryLog)] },
      { id: "tokens", title: texts.tokens, blocks: [text(texts.tokensText), list(texts.tokenRule)] },
      { id: "command-line", title: texts.commandLine, blocks: [text(texts.commandLineText)] },
    ],
  }),
});
