import { For, type JSX } from "solid-js";
import "./chart.css";

type Bar = {
  readonly name: string;
  readonly value: number;
  /** The figure as formatted text. */
  readonly text: string;
  readonly href?: string;
};

const percent = 100;

/** Parts of a whole, the largest first: name, figure and bar, instead of a pie. */
export function BarList(props: { readonly label: string; readonly bars: readonly Bar[] }): JSX.Element {
  const largest = (): number => Math.max(...props.bars.map(({ value }) => value), 0) || 1;
  return (
    <ul class="bars plain-list" aria-label={props.label}>
      <For each={props.bars}>
        {(bar) => (
          <li>
            {bar.href === undefined ? (
              <span class="bars-name">
                <bdi>{bar.name}</bdi>
              </span>
            ) : (
              <a class="bars-name" href={bar.href}>
                <bdi>{bar.name}</bdi>
              </a>
            )}
            <span class="numeric">{bar.text}</span>
            <span class="bars-track" aria-hidden="true">
              <span class="bars-fill" style={{ "inline-size": `${(bar.value / largest()) * percent}%` }} />
            </span>
          </li>
        )}
      </For>
    </ul>
  );
}
