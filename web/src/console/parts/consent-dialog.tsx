import { useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, onCleanup, onMount } from "solid-js";
import { onRefused } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { frameArea } from "../messages/frame.ts";

/** Appears when the operator's terms have changed while the page was open; it stays as it is, with all its input. */
export function ConsentDialog(): JSX.Element {
  const texts = frameArea.texts().console;
  const [isOpen, setIsOpen] = createSignal(false);
  const client = useQueryClient();
  onMount(() => onCleanup(onRefused("consent_required", () => setIsOpen(true))));
  const goOn = (): void => {
    setIsOpen(false);
    void client.invalidateQueries();
  };
  return (
    <Dialog isOpen={isOpen()} onClose={() => setIsOpen(false)} title={texts.consentTitle}>
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
