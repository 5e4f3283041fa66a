import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { EmptyState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import type { KeptConversation } from "./browser-store.ts";
import type { History } from "./history.ts";
import { historyLimits } from "./history-limits.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import { shownBytes } from "./shown-bytes.ts";
import { StorageNotice } from "./storage-notice.tsx";

type HistoryProps = { readonly history: History; readonly onClose: () => void };

/** The conversations that this browser keeps. */
export function HistoryDialog(props: HistoryProps & { readonly isOpen: boolean }): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.history} size="wide">
      <HistoryParts {...props} />
    </Dialog>
  );
}

function HistoryParts(props: HistoryProps): JSX.Element {
  const texts = playgroundArea.texts();
  const [isAsking, setIsAsking] = createSignal(false);
  const [kept, setKept] = createSignal<readonly KeptConversation[] | null>(null);
  const load = async (): Promise<void> => {
    setKept(await props.history.list());
  };
  onMount(() => void load());
  const remove = async (id: string | null): Promise<void> => {
    await props.history.remove(id);
    setIsAsking(false);
    await load();
  };
  return (
    <div class="form">
      <p>{fill(texts.historyText, { count: historyLimits.count, size: shownBytes(historyLimits.bytes) })}</p>
      <StorageNotice problem={props.history.problem()} />
      <Show when={kept()} fallback={<LoadingPart />}>
        {(conversations) => (
          <Show when={conversations().length > 0} fallback={<EmptyState title={texts.historyEmpty} />}>
            <ul class={styles["history"]}>
              <For each={conversations()}>
                {(each) => (
                  <li>
                    <span>
                      <bdi>{each.title}</bdi>
                      <span class="muted">
                        {formats.relative(new Date(each.updatedAt), Date.now())} · <bdi>{each.models.join(", ")}</bdi>
                      </span>
                    </span>
                    <Button
                      aria-label={`${texts.open}: ${each.title}`}
                      onClick={() => {
                        props.history.open(each);
                        props.onClose();
                      }}
                    >
                      {texts.open}
                    </Button>
                    <Button
                      variant="quiet"
                      aria-label={`${texts.delete}: ${each.title}`}
                      onClick={() => void remove(each.id)}
                    >
                      {texts.delete}
                    </Button>
                  </li>
                )}
              </For>
            </ul>
            <div class="form-actions">
              <Button variant="danger" onClick={() => setIsAsking(true)}>
                {texts.deleteAll}
              </Button>
            </div>
          </Show>
        )}
      </Show>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setIsAsking(false)}
        title={texts.deleteAll}
        action={texts.deleteAll}
        onConfirm={() => void remove(null)}
      >
        {texts.deleteAllText}
      </ConfirmDialog>
    </div>
  );
}
