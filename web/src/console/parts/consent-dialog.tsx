import { useQueryClient } from "@tanstack/solid-query";
import type { JSX } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { frameArea } from "../messages/frame.ts";

/** Appears when the operator's terms have changed while the page was open; it stays as it is, with all its input. */
export function ConsentDialog(props: { readonly isOpen: boolean; readonly onClose: () => void }): JSX.Element {
  const texts = frameArea.texts().console;
  const client = useQueryClient();
  const goOn = (): void => {
    props.onClose();
    void client.invalidateQueries();
  };
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.consentTitle}>
      <p>{texts.consentText}</p>
      <div class="dialog-actions">
        <a class="button" data-variant="primary" href="/console/consent/" target="_blank" rel="noopener">
          {texts.consentOpen}
        </a>
        <Button onClick={goOn}>{texts.consentDone}</Button>
      </div>
    </Dialog>
  );
}
