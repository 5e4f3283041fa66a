import { For, type JSX, Show } from "solid-js";
import "./card.css";

/** A panel with a heading. */
export function Card(props: {
  readonly title?: string;
  readonly actions?: JSX.Element;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <section class="card" aria-label={props.title}>
      <Show when={props.title !== undefined || props.actions !== undefined}>
        <div class="card-head">
          <h2>{props.title}</h2>
          {props.actions}
        </div>
      </Show>
      {props.children}
    </section>
  );
}

/** A row of figures, divided by hairlines. */
export function Figures(props: {
  readonly label: string;
  /** Some of the figures are still loading. */
  readonly isLoading?: boolean;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <section class="figures" aria-label={props.label} aria-busy={props.isLoading === true}>
      {props.children}
    </section>
  );
}

/** One number as the hero: its label, the number, its unit, and what it is compared with. */
export function Figure(props: {
  readonly label: JSX.Element;
  readonly value: JSX.Element;
  /** The exact figure, if the value is rounded; shown on hover. */
  readonly exact?: string | undefined;
  readonly unit?: string;
  readonly note?: JSX.Element;
}): JSX.Element {
  return (
    <div class="figure">
      <span class="figure-label">{props.label}</span>
      <span class="figure-value" title={props.exact}>
        <bdi>{props.value}</bdi>
        <Show when={props.unit}>
          <span class="figure-unit">{props.unit}</span>
        </Show>
      </span>
      <Show when={props.note !== undefined}>
        <span class="figure-note">{props.note}</span>
      </Show>
    </div>
  );
}

/** Names and values of one thing. */
export function Facts(props: {
  readonly facts: readonly { readonly name: string; readonly value: JSX.Element }[];
}): JSX.Element {
  return (
    <dl class="facts">
      <For each={props.facts}>
        {(fact) => (
          <>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </>
        )}
      </For>
    </dl>
  );
}
