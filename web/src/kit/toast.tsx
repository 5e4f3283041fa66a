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
/** What ends the toasts that leave by themselves. */
const endings = new Map<number, ReturnType<typeof setTimeout>>();

function dismiss(id: number): void {
  clearTimeout(endings.get(id));
  endings.delete(id);
  setToasts((all) => all.filter((toast) => toast.id !== id));
  // What was closed cannot report that the pointer has left it.
  release();
}

function startEnding(id: number): void {
  endings.set(
    id,
    setTimeout(() => dismiss(id), shownMs),
  );
}

/** While somebody reads or uses one, all of them stay. */
function hold(): void {
  for (const ending of endings.values()) {
    clearTimeout(ending);
  }
}

function release(): void {
  for (const [id, ending] of [...endings]) {
    clearTimeout(ending);
    startEnding(id);
  }
}

/**
 * Reports that something happened, without taking the focus. A failure, and one with an action such as undo, stays until it
 * is dismissed.
 */
export function showToast(text: string, tone: Tone = "ok", action: ToastAction | null = null): void {
  lastId += 1;
  const id = lastId;
  setToasts((all) => [...all, { id, text, tone, action }].slice(-shownMax));
  if (action === null && tone !== "bad") {
    startEnding(id);
  }
}

/** The place where toasts appear; a shell has one. */
export function Toaster(): JSX.Element {
  const texts = useKitTexts();
  return (
    <section class="toasts" aria-label={texts().notifications}>
      <div
        class="toast-list"
        role="status"
        aria-live="polite"
        onPointerOver={hold}
        onPointerOut={release}
        onFocusIn={hold}
        onFocusOut={release}
      >
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
