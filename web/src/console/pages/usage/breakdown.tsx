import { type JSX, Show } from "solid-js";
import { apiUrl } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Card } from "../../../kit/card.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import type { UsageSummary } from "../../parts/queries.ts";
import type { Division } from "./divisions.ts";
import { type LabelKind, LabelSums } from "./label-sums.tsx";
import { usageArea } from "./messages/messages.ts";
import { type Part, SumTable } from "./sum-table.tsx";

/** The sums of the range by model or by key, in an organisation also by member and project, and by what calls name; the most expensive first. */
export function Breakdown(props: {
  readonly summary: UsageSummary;
  readonly division: Division;
  readonly filter: () => Readonly<Record<string, string>>;
}): JSX.Element {
  const texts = usageArea.texts();
  const { by, setBy, choices: tabs } = props.division;
  const parts = (): readonly Part[] => {
    const { by_model, by_key, by_member, by_project } = props.summary;
    switch (by()) {
      case "model":
        return by_model.map((sums) => ({ name: sums.model ?? texts.unknownModel, sums }));
      case "key":
        return by_key.map((sums) => ({
          name: sums.key_name || fill(texts.deletedKey, { id: String(sums.key_id) }),
          sums,
        }));
      case "member":
        return by_member.map((sums) => ({ name: sums.member_email ?? String(sums.member_id), sums }));
      case "project":
        return by_project.map((sums) => ({ name: sums.project_name ?? texts.noProject, sums }));
      case "end_user":
      case "tag":
        return [];
    }
  };
  const chosen = () => tabs.find(({ id }) => id === by());
  const labelKind = (): LabelKind | null => {
    const kind = by();
    return kind === "end_user" || kind === "tag" ? kind : null;
  };
  return (
    <Card
      title={texts.breakdown}
      actions={
        <Show when={labelKind() === null}>
          <a class="button" href={apiUrl("/backend/usage/sums/export/", { ...props.filter(), by: by() })} download="">
            {texts.exportCsv}
          </a>
        </Show>
      }
    >
      <Tabs
        label={texts.breakdown}
        tabs={tabs.map(({ id, label }) => ({ id, label }))}
        selected={by()}
        onSelect={setBy}
      >
        <Show
          when={labelKind()}
          keyed
          fallback={
            <SumTable
              label={chosen()?.label ?? ""}
              column={chosen()?.column ?? ""}
              parts={parts()}
              total={props.summary.total}
            />
          }
        >
          {(kind) => (
            <LabelSums
              kind={kind}
              label={chosen()?.label ?? ""}
              column={chosen()?.column ?? ""}
              filter={props.filter}
              total={props.summary.total}
            />
          )}
        </Show>
      </Tabs>
    </Card>
  );
}
