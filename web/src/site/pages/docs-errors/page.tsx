import { errorDefinition } from "@sluice/contracts/errors";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { type ErrorGroup, errorBlocks } from "../../docs/errors/error-rows.ts";
import { errorPageTexts } from "../../docs/errors/messages/messages.ts";

const shown = "insufficient_quota";

/** `/docs/errors/`: each code that a client gets, with an anchor of its name. */
export const docsErrorsPage = docPage({
  path: "/docs/errors/",
  updatedOn: "2026-11-29",
  name: docNames["/docs/errors/"],
  content: ({ clients: docs }, { locale }) => {
    const errors = errorPageTexts[locale];
    const groups = Object.entries(errors.group) as [ErrorGroup, string][];
    return {
      title: errors.title,
      lead: errors.description,
      sections: [
        {
          id: "format",
          title: errors.format,
          blocks: [
            { kind: "text", text: errors.formatText },
            { kind: "code-tabs", tabs: formTabs() },
            { kind: "text", text: errors.linkText },
          ],
        },
        ...groups.map(([id, title]) => ({ id, title, blocks: errorBlocks(id, { docs, errors }) })),
      ],
    };
  },
});

/** The same error in both formats. */
function formTabs(): { readonly label: string; readonly name: string; readonly text: string }[] {
  const { message, openaiType, anthropicType } = errorDefinition(shown);
  const forms = [
    ["OpenAI", { error: { message, type: openaiType, param: null, code: shown } }],
    ["Anthropic", { type: "error", error: { type: anthropicType, message }, request_id: "req_01HV2Q" }],
  ] as const;
  return forms.map(([label, form]) => ({
    label,
    name: `error-${label.toLowerCase()}`,
    text: JSON.stringify(form, null, 2),
  }));
}
