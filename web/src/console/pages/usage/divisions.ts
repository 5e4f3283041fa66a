import { useSearchParams } from "@solidjs/router";
import { fill } from "../../../i18n/messages.ts";
import { acting } from "../../acting-for.ts";
import type { LabelKind } from "./label-sums.tsx";
import { usageArea } from "./messages/messages.ts";

export type By = "model" | "key" | "member" | "project" | LabelKind;

/** What chart and breakdown are divided by, stored in the URL. */
export type Division = {
  readonly choices: readonly { readonly id: By; readonly label: string; readonly column: string }[];
  readonly by: () => By;
  readonly setBy: (id: string) => void;
  /** The name of a part for people; `id` is null for calls that have none. */
  readonly nameOf: (part: { readonly id: string | null; readonly name: string | null }) => string;
};

export function createDivision(): Division {
  const texts = usageArea.texts();
  const [params, setParams] = useSearchParams();
  const choices: Division["choices"] = [
    { id: "model", label: texts.byModel, column: texts.model },
    { id: "key", label: texts.byKey, column: texts.key },
    ...(acting === null
      ? []
      : ([
          { id: "member", label: texts.byMember, column: texts.member },
          { id: "project", label: texts.byProject, column: texts.project },
        ] as const)),
    { id: "end_user", label: texts.byEndUser, column: texts.endUser },
    { id: "tag", label: texts.byTag, column: texts.tag },
  ];
  const by = (): By => choices.find(({ id }) => id === params["by"])?.id ?? "model";
  return {
    choices,
    by,
    setBy: (id) => setParams({ by: id === "model" ? null : id }, { replace: true, scroll: false }),
    nameOf: ({ id, name }) => {
      if (name !== null) {
        return name;
      }
      if (id === null) {
        return by() === "project" ? texts.noProject : texts.unknownModel;
      }
      return by() === "key" ? fill(texts.deletedKey, { id }) : id;
    },
  };
}
