import { type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { tokensArea } from "./messages/messages.ts";
import styles from "./tokens.module.css";

/** Shows a new token, which nothing else stores: it is gone with the dialog. */
export function MadeTokenDialog(props: { readonly secret: string | null; readonly onClose: () => void }): JSX.Element {
  const texts = tokensArea.texts();
  return (
    <Dialog isOpen={props.secret !== null} title={texts.madeTitle} onClose={props.onClose}>
      <Show when={props.secret}>
        {(secret) => (
          <div class={styles["made"]}>
            <Notice tone="warn">{texts.madeText}</Notice>
            <div class={styles["secret"]}>
              <code data-secret="">{secret()}</code>
              <CopyButton text={secret} label={texts.copy} />
            </div>
          </div>
        )}
      </Show>
      <div class="dialog-actions">
        <Button variant="primary" onClick={props.onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
