import type { JSX } from "solid-js";
import { t } from "../translate.ts";

/** Leads to what each figure of the page counts. */
export function HowCounted(): JSX.Element {
  return (
    <p class="muted">
      <a href="/admin/figures/">{t("How figures are counted")}</a>
    </p>
  );
}
