import { createSignal, For, type JSX } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Card } from "../../../kit/card.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import type { Sums, UsageSummary } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";
import styles from "./usage.module.css";

type Part = { readonly name: string; readonly sums: Sums };

type By = "model" | "key" | "member" | "project";

/** The sums of the range by model or by key, in an organisation also by member and project; the most expensive first. */
export function Breakdown(props: { readonly summary: UsageSummary }): JSX.Element {
  const texts = usageArea.texts();
  const [by, setBy] = createSignal<By>("model");
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
    }
  };
  const tabs: readonly { readonly id: By; readonly label: string; readonly column: string }[] = [
    { id: "model", label: texts.byModel, column: texts.model },
    { id: "key", label: texts.byKey, column: texts.key },
    ...(acting === null
      ? []
      : ([
          { id: "member", label: texts.byMember, column: texts.member },
          { id: "project", label: texts.byProject, column: texts.project },
        ] as const)),
  ];
  const chosen = () => tabs.find(({ id }) => id === by());
  const share = (sums: Sums): string => {
    const all = Number(props.summary.total.settled_quota);
    return all === 0 ? "–" : formats.percent(Number(sums.settled_quota) / all);
  };
  const number = (value: number | string): string => formats.number(Number(value));
  return (
    <Card title={texts.breakdown}>
      <Tabs
        label={texts.breakdown}
        tabs={tabs.map(({ id, label }) => ({ id, label }))}
        selected={by()}
        onSelect={setBy}
      >
        <section class={styles["scroll"]} tabindex="0" aria-label={chosen()?.label}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{chosen()?.column}</th>
                <For each={[texts.calls, texts.input, texts.output, texts.cost, texts.share]}>
                  {(label) => (
                    <th scope="col" data-align="end">
                      {label}
                    </th>
                  )}
                </For>
              </tr>
            </thead>
            <tbody>
              <For each={parts()}>
                {({ name, sums }) => (
                  <tr>
                    <th scope="row" data-card="title">
                      <bdi>{name}</bdi>
                    </th>
                    <td data-align="end" data-label={texts.calls}>
                      {number(sums.calls)}
                    </td>
                    <td data-align="end" data-label={texts.input}>
                      {number(sums.input_tokens)}
                    </td>
                    <td data-align="end" data-label={texts.output}>
                      {number(sums.output_tokens)}
                    </td>
                    <td data-align="end" data-label={texts.cost}>
                      {formats.quotaColumn(sums.settled_quota)}
                    </td>
                    <td data-align="end" data-label={texts.share}>
                      {share(sums)}
                    </td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </section>
      </Tabs>
    </Card>
  );
}
