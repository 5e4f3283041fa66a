import { For, type JSX, onCleanup, onMount } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { Notice } from "../../../kit/states.tsx";
import styles from "./account.module.css";
import { accountArea } from "./messages/messages.ts";

/** The recovery codes, which nothing else stores: they are gone when their owner confirms that they are kept. */
export function RecoveryCodes(props: { readonly codes: readonly string[]; readonly onDone: () => void }): JSX.Element {
  const texts = accountArea.texts();
  const leave = (event: BeforeUnloadEvent): void => event.preventDefault();
  onMount(() => addEventListener("beforeunload", leave));
  onCleanup(() => removeEventListener("beforeunload", leave));
  return (
    <section class={styles["recovery"]} aria-label={texts.recovery}>
      <h3>{texts.recovery}</h3>
      <Notice tone="warn">{texts.recoveryText}</Notice>
      <ol class={styles["codes"]} data-codes="" translate="no">
        <For each={props.codes}>
          {(code) => (
            <li>
              <code dir="ltr">{code}</code>
            </li>
          )}
        </For>
      </ol>
      <div class="form-actions">
        <CopyButton text={() => props.codes.join("\n")} label={texts.recoveryCopy} />
        <Button variant="primary" onClick={() => props.onDone()}>
          {texts.recoveryDone}
        </Button>
      </div>
    </section>
  );
}
