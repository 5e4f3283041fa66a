import { For, type JSX, Show } from "solid-js";
import { formats } from "../../formats.ts";
import type { Sums } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";
import styles from "./usage.module.css";

/** Sums by something; `href` shows the calls of this one alone. */
export type Part = { readonly name: string; readonly sums: Sums; readonly href?: string };

/** Sums side by side, each with its share of the cost of all. */
export function SumTable(props: {
  readonly label: string;
  readonly column: string;
  readonly parts: readonly Part[];
  readonly total: Sums;
}): JSX.Element {
  const texts = usageArea.texts();
  const share = (sums: Sums): string => {
    const all = Number(props.total.settled_quota);
    return all === 0 ? "–" : formats.percent(Number(sums.settled_quota) / all);
  };
  const number = (value: number | string): string => formats.number(Number(value));
  return (
    <section class={styles["scroll"]} tabindex="0" aria-label={props.label}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{props.column}</th>
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
          <For each={props.parts}>
            {({ name, sums, href }) => (
              <tr>
                <th scope="row" data-card="title">
                  <Show when={href} fallback={<bdi>{name}</bdi>}>
                    {(to) => (
                      <a href={to()}>
                        <bdi>{name}</bdi>
                      </a>
                    )}
                  </Show>
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
  );
}
