import { createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useKitTexts } from "./kit-texts.tsx";
import { Status, type Tone } from "./status.tsx";
import "./toast.css";

type ToastAction = { readonly label: string; readonly onSelect: () => void };
type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
  readonly action: ToastAction | null;
};

const shownMs = 6_000;
const shownMax = 4;
const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

function dismiss(id: number): void {
  setToasts((all) => all.filter((toast) => toast.id !== id));
}

/**
 * Reports that something happened, without taking the focus. One with an action, such as undo, stays until it is
 * dismissed.
 */
export function showToast(text: string, tone: Tone = "ok", action: ToastAction | null = null): void {
  lastId += 1;
  const id = lastId;
  setToasts((all) => [...all, { id, text, tone, action }].slice(-shownMax));
  if (action === null && tone !== "bad") {
    setTimeout(() => dismiss(id), shownMs);
  }
}

/** The place where toasts appear; a shell has one. */
export function Toaster(): JSX.Element {
  const texts = useKitTexts();
  return (
    <section class="toasts" aria-label={texts().notifications}>
      <div class="toast-list" role="status" aria-live="polite">
        <For each={toasts()}>
          {(toast) => (
            <div class="toast">
              <Status tone={toast.tone}>{toast.text}</Status>
              <Show when={toast.action}>
                {(action) => (
                  <Button
                    onClick={() => {
                      dismiss(toast.id);
                      action().onSelect();
                    }}
                  >
                    {action().label}
                  </Button>
                )}
              </Show>
              <Button variant="quiet" shape="square" aria-label={texts().close} onClick={() => dismiss(toast.id)}>
                <Icon name="close" />
              </Button>
            </div>
          )}
        </For>
      </div>
    </section>
  );
}
