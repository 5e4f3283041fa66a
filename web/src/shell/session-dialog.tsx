import { useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, onCleanup, onMount } from "solid-js";
import { onSessionEnded } from "../api/client.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import type { ShellTexts } from "./shell-texts.ts";

/** Appears when a response says that the login has expired; the page stays as it is, with all its input. */
export function SessionDialog(props: { readonly texts: ShellTexts; readonly loginPath: string }): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const client = useQueryClient();
  onMount(() => onCleanup(onSessionEnded(() => setIsOpen(true))));
  const goOn = (): void => {
    setIsOpen(false);
    void client.invalidateQueries();
  };
  return (
    <Dialog isOpen={isOpen()} onClose={() => setIsOpen(false)} title={props.texts.sessionTitle}>
      <p>{props.texts.sessionText}</p>
      <div class="dialog-actions">
        <a class="button" data-variant="primary" href={props.loginPath} target="_blank" rel="noopener">
          {props.texts.sessionLogin}
        </a>
        <Button onClick={goOn}>{props.texts.sessionDone}</Button>
      </div>
    </Dialog>
  );
}
