import { For, type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import type { Attachment } from "./conversation.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import { shownBytes } from "./shown-bytes.ts";

/** The pictures and files of a message. */
export function AttachmentList(props: {
  readonly attachments: readonly Attachment[];
  readonly onRemove?: (id: string) => void;
}): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <Show when={props.attachments.length > 0}>
      <ul class={styles["files"]}>
        <For each={props.attachments}>
          {(each) => (
            <li>
              <Show when={each.kind === "image"}>
                <img src={each.data} alt="" width="40" height="40" />
              </Show>
              <bdi>{each.name}</bdi>
              <span class="muted">{shownBytes(each.bytes)}</span>
              <Show when={props.onRemove}>
                {(remove) => (
                  <Button
                    variant="quiet"
                    shape="square"
                    aria-label={fill(texts.files.remove, { name: each.name })}
                    onClick={() => remove()(each.id)}
                  >
                    <Icon name="close" />
                  </Button>
                )}
              </Show>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
