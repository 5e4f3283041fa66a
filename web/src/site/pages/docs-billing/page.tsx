import { fill } from "../../../i18n/messages.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import type { DocBlock } from "../../docs/model.ts";

const text = (sentence: string): DocBlock => ({ kind: "text", text: sentence });

/** `/docs/billing/`: what a call costs, and when it is paid. */
export const docsBillingPage = docPage({
  path: "/docs/billing/",
  updatedOn: "2026-11-29",
  name: docNames["/docs/billing/"],
  content: ({ billing: texts }, { formats }) => ({
    title: texts.title,
    lead: texts.lead,
    sections: [
      {
        id: "units",
        title: texts.units,
        blocks: [text(fill(texts.unitsText, { step: formats.quota(1) }))],
      },
      {
        id: "cost",
        title: texts.cost,
        blocks: [
          { kind: "steps", items: Object.values(texts.step) },
          text(texts.costHold),
          text(texts.costEstimate),
          text(texts.costMultiplier),
        ],
      },
      {
        id: "free",
        title: texts.nothing,
        blocks: [{ kind: "list", items: Object.values(texts.freeList) }, text(texts.cutText)],
      },
      {
        id: "plans",
        title: texts.plans,
        blocks: [
          {
            kind: "table",
            label: texts.plans,
            head: [texts.plan, texts.gives, texts.ends],
            rows: [
              [texts.credit, texts.creditGives, texts.creditEnds],
              [texts.monthly, texts.monthlyGives, texts.monthlyEnds],
            ],
          },
          text(texts.plansText),
        ],
      },
      { id: "payments", title: texts.paying, blocks: [text(texts.payingText)] },
      { id: "refunds", title: texts.refunds, blocks: [text(texts.refundsText)] },
      {
        id: "limits",
        title: texts.keyLimits,
        blocks: [text(texts.keyLimitsText), { kind: "list", items: Object.values(texts.limit) }],
      },
      { id: "receipts", title: texts.receipts, blocks: [text(texts.receiptsText)] },
    ],
  }),
});
