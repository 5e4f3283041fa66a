import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { type AttachmentFault, acceptedFiles, attachmentLimits, faultOfFile, readAttachment } from "./attachments.ts";
import type { Chat } from "./chat.ts";
import type { Attachment } from "./conversation.ts";
import { isSendKey, sendKeys } from "./keys.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";
import { shownBytes } from "./shown-bytes.ts";
import type { StorageProblem } from "./storage-problem.ts";

/** The next message. */
export function PromptForm(props: {
  readonly chat: Chat;
  readonly prompt: string;
  readonly onPrompt: (text: string) => void;
  readonly isReady: boolean;
  readonly onSend: () => void;
  readonly attachments: readonly Attachment[];
  readonly onAttachments: (attachments: readonly Attachment[]) => void;
  /** Why a reload would lose them; null if it would not. */
  readonly filesProblem: StorageProblem | null;
  /** A model that is asked and takes no pictures. */
  readonly blindModel: string | undefined;
}): JSX.Element {
  const texts = playgroundArea.texts();
  stopOnEscape(props.chat);
  const [fault, setFault] = createSignal<AttachmentFault | null>(null);
  const attach = async (files: readonly File[]): Promise<void> => {
    setFault(null);
    for (const file of files) {
      const found = faultOfFile(file, props.attachments);
      const read = found === null ? await readAttachment(file) : null;
      if (read === null) {
        setFault(found ?? { kind: "kind", name: file.name, bytesMax: 0 });
        return;
      }
      props.onAttachments([...props.attachments, read]);
    }
  };
  return (
    <form
      class={styles["prompt"]}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach([...(event.dataTransfer?.files ?? [])]);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (props.isReady && !props.chat.isRunning()) {
          props.onSend();
        }
      }}
    >
      <TextArea
        label={texts.prompt}
        hint={fill(texts.sendHint, { keys: sendKeys })}
        dir="auto"
        value={props.prompt}
        onInput={(event) => props.onPrompt(event.currentTarget.value)}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length > 0) {
            event.preventDefault();
            void attach(files);
          }
        }}
        onKeyDown={(event) => {
          if (isSendKey(event)) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <AttachmentList
        attachments={props.attachments}
        onRemove={(id) => props.onAttachments(props.attachments.filter((each) => each.id !== id))}
      />
      <span role="alert">
        <Show when={fault()}>{(found) => <Notice tone="warn">{faultText(found())}</Notice>}</Show>
      </span>
      <Show when={props.filesProblem !== null}>
        <Notice tone="warn">{texts.files.notStored}</Notice>
      </Show>
      <Show when={props.blindModel}>
        {(model) => <Notice tone="warn">{fill(texts.files.noImages, { model: model() })}</Notice>}
      </Show>
      <div class="form-actions">
        <Show
          when={props.chat.isRunning()}
          fallback={
            <Button type="submit" variant="primary" disabled={!props.isReady}>
              {texts.send}
            </Button>
          }
        >
          <Button onClick={() => props.chat.stop()}>{texts.stop}</Button>
        </Show>
        <FileButton onFiles={(files) => void attach(files)} />
      </div>
    </form>
  );
}

/** Opens the browser's choice of files. */
function FileButton(props: { readonly onFiles: (files: readonly File[]) => void }): JSX.Element {
  const texts = playgroundArea.texts();
  let input: HTMLInputElement | undefined;
  return (
    <>
      <input
        ref={(each) => {
          input = each;
        }}
        type="file"
        multiple
        hidden
        aria-label={texts.files.attach}
        accept={acceptedFiles}
        onChange={(event) => {
          props.onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <Button onClick={() => input?.click()}>
        <Icon name="plus" />
        {texts.files.attach}
      </Button>
    </>
  );
}

function faultText({ kind, name, bytesMax }: AttachmentFault): string {
  const texts = playgroundArea.texts().files;
  return fill(texts[kind], { name, size: shownBytes(bytesMax), count: attachmentLimits.count });
}

/** Escape stops the models, unless it closes something that is open above the page. */
function stopOnEscape(chat: Chat): void {
  const onKey = (event: KeyboardEvent): void => {
    const isOpenAbove = document.querySelector("dialog[open], :popover-open") !== null;
    if (event.key === "Escape" && chat.isRunning() && !isOpenAbove) {
      event.preventDefault();
      chat.stop();
    }
  };
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
