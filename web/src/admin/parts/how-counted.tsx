import type { JSX } from "solid-js";

/** Leads to what each figure of the page counts. */
export function HowCounted(): JSX.Element {
  return (
    <p class="muted">
      <a href="/admin/figures/">How figures are counted</a>
    </p>
  );
}
