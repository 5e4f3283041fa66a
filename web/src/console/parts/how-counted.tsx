import type { JSX } from "solid-js";
import { frameArea } from "../messages/frame.ts";

/** Leads to what each figure of the page counts. */
export function HowCounted(): JSX.Element {
  return (
    <p class="muted">
      <a href="/console/figures/">{frameArea.texts().console.howCounted}</a>
    </p>
  );
}
