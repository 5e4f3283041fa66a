import { type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { formats } from "../../formats.ts";
import type { ApiKey } from "../../parts/queries.ts";
import styles from "./keys.module.css";
import { keysArea } from "./messages/messages.ts";

/** How much of its budget a key has used. */
export function LimitCell(props: { readonly apiKey: ApiKey }): JSX.Element {
  const texts = keysArea.texts();
  return (
    <Show when={props.apiKey.quota_limit} fallback={<span class="muted">{texts.noLimit}</span>}>
      {(limit) => {
        const used = (): number | string => props.apiKey.quota_used ?? 0;
        const label = (): string => fill(texts.ofLimit, { used: formats.quota(used()), limit: formats.quota(limit()) });
        return (
          <>
            <span>{label()}</span>
            <progress class={styles["meter"]} value={Number(used())} max={Number(limit())} aria-label={label()} />
          </>
        );
      }}
    </Show>
  );
}
