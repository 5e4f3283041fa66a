import { limitHeaderNames } from "@sluice/contracts/notice-headers";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { guideTexts } from "../../docs/guides/messages/messages.ts";

const [inOpenai, inAnthropic] = ["x-ratelimit-", "anthropic-ratelimit-"].map((start) =>
  limitHeaderNames.filter((name) => name.startsWith(start)),
);

/** `/docs/limits/`: what is limited, how a program sees it, and what to do. */
export const docsLimitsPage = docPage({
  path: "/docs/limits/",
  updatedOn: "2026-11-28",
  name: docNames["/docs/limits/"],
  content: ({ clients, billing }, { locale }) => {
    const texts = guideTexts[locale].limits;
    const { body, slash: _, ...retries } = clients.retry;
    return {
      title: texts.title,
      lead: texts.lead,
      sections: [
        { id: "size", title: texts.size, blocks: [{ kind: "text", text: body }] },
        {
          id: "rates",
          title: texts.rates,
          blocks: [
            { kind: "text", text: texts.ratesText },
            {
              kind: "table",
              label: texts.rates,
              head: [texts.inOpenai, texts.inAnthropic],
              rows: (inOpenai ?? []).map((name, at) => [`\`${name}\``, `\`${inAnthropic?.[at] ?? ""}\``]),
            },
          ],
        },
        {
          id: "key-limits",
          title: billing.keyLimits,
          blocks: [
            { kind: "text", text: billing.keyLimitsText },
            { kind: "list", items: Object.values(billing.limit) },
          ],
        },
        { id: "waiting", title: texts.waiting, blocks: [{ kind: "list", items: Object.values(retries) }] },
      ],
    };
  },
});
