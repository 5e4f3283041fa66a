import { type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { webhooksArea } from "./messages/messages.ts";
import styles from "./webhooks.module.css";

/** Shows the secret of a webhook, which is readable nowhere else: it is gone with the dialog. */
export function MadeSecretDialog(props: { readonly secret: string | null; readonly onClose: () => void }): JSX.Element {
  const texts = webhooksArea.texts();
  return (
    <Dialog isOpen={props.secret !== null} title={texts.secretTitle} onClose={props.onClose}>
      <Show when={props.secret}>
        {(secret) => (
          <div class={styles["made"]}>
            <Notice tone="warn">{texts.secretText}</Notice>
            <div class={styles["secret"]}>
              <code data-secret="">{secret()}</code>
              <CopyButton text={secret} label={texts.copySecret} />
            </div>
          </div>
        )}
      </Show>
      <div class="dialog-actions">
        <Button variant="primary" onClick={props.onClose}>
          {texts.saved}
        </Button>
      </div>
    </Dialog>
  );
}
