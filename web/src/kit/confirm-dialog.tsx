import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { useKitTexts } from "./kit-texts.tsx";

type ConfirmProps = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The effects, and which of them are irreversible. */
  readonly children: JSX.Element;
  /** The verb of the button, such as "Revoke now". */
  readonly action: string;
  /** "plain" for an action that takes nothing away. */
  readonly tone?: "bad" | "plain";
  /** A word that must be typed before the button works; for irreversible actions. */
  readonly typed?: { readonly word: string; readonly label: string };
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
};

/** Asks before something that can not be taken back, or takes something away. */
export function ConfirmDialog(props: ConfirmProps): JSX.Element {
  const texts = useKitTexts();
  const [typed, setTyped] = createSignal("");
  const isReady = (): boolean => props.typed === undefined || typed() === props.typed.word;
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={() => {
        setTyped("");
        props.onClose();
      }}
      title={props.title}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady() && props.isBusy !== true) {
            setTyped("");
            props.onConfirm();
          }
        }}
      >
        <div>{props.children}</div>
        <Show when={props.typed}>
          {(asked) => (
            <TextField
              label={asked().label}
              value={typed()}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Show>
        <div class="dialog-actions">
          <Button onClick={() => props.onClose()}>{texts().cancel}</Button>
          <Button
            type="submit"
            variant={props.tone === "plain" ? "primary" : "danger"}
            isBusy={props.isBusy}
            disabled={!isReady()}
          >
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
