import { createSignal, For, type JSX } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Card } from "../../../kit/card.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { formats } from "../../formats.ts";
import type { Sums, UsageSummary } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";
import styles from "./usage.module.css";

type Part = { readonly name: string; readonly sums: Sums };

/** The sums of the range by model or by key, the most expensive first. */
export function Breakdown(props: { readonly summary: UsageSummary }): JSX.Element {
  const texts = usageArea.texts();
  const [by, setBy] = createSignal<"model" | "key">("model");
  const parts = (): readonly Part[] =>
    by() === "model"
      ? props.summary.by_model.map((sums) => ({ name: sums.model ?? texts.unknownModel, sums }))
      : props.summary.by_key.map((sums) => ({
          name: sums.key_name || fill(texts.deletedKey, { id: String(sums.key_id) }),
          sums,
        }));
  const share = (sums: Sums): string => {
    const all = Number(props.summary.total.settled_quota);
    return all === 0 ? "–" : formats.percent(Number(sums.settled_quota) / all);
  };
  const number = (value: number | string): string => formats.number(Number(value));
  return (
    <Card title={texts.breakdown}>
      <Tabs
        label={texts.breakdown}
        tabs={[
          { id: "model", label: texts.byModel },
          { id: "key", label: texts.byKey },
        ]}
        selected={by()}
        onSelect={setBy}
      >
        <section class={styles["scroll"]} tabindex="0" aria-label={by() === "model" ? texts.byModel : texts.byKey}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{by() === "model" ? texts.model : texts.key}</th>
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
