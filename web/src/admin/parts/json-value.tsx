import { type JSX, Show } from "solid-js";
import { dash } from "../shown.ts";

/** A value as recorded, readable; the keyboard can scroll it. */
export function JsonValue(props: { readonly value: unknown; readonly label: string }): JSX.Element {
  return (
    <Show when={props.value !== null && props.value !== undefined} fallback={dash}>
      <section class="code-value" tabindex="0" aria-label={props.label}>
        {JSON.stringify(props.value, null, 2)}
      </section>
    </Show>
  );
}
