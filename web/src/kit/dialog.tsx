import { createEffect, createUniqueId, type JSX, on, onCleanup, Show } from "solid-js";
import { Button } from "./button.tsx";
import { keepFocusIn } from "./first-control.ts";
import { Icon } from "./icon.tsx";
import { useKitTexts } from "./kit-texts.tsx";
import "./dialog.css";

type DialogProps = {
  readonly isOpen: boolean;
  /** Requested by Escape, the button and a press outside; the owner may refuse by staying open. */
  readonly onClose: () => void;
  readonly title: string;
  readonly size?: "wide";
  readonly children: JSX.Element;
};

/**
 * The browser's own modal dialog: it keeps the focus inside, makes the rest inert, and returns the focus to where it
 * was. It begins at the first field or other control of its content, not at the button that closes it. Its content
 * exists only while it is open, so that nothing secret remains.
 */
export function Dialog(props: DialogProps): JSX.Element {
  const texts = useKitTexts();
  const titleId = createUniqueId();
  let element: HTMLDialogElement | undefined;
  let opener: Element | null = null;
  let endFocus = (): void => undefined;
  onCleanup(() => endFocus());
  createEffect(
    on(
      () => props.isOpen,
      (isOpen) => {
        if (isOpen && element?.open === false) {
          opener = document.activeElement;
          element.showModal();
          endFocus = keepFocusIn(element);
        } else if (!isOpen && element?.open === true) {
          endFocus();
          element.close();
          if (opener instanceof HTMLElement && opener.isConnected) {
            opener.focus();
          }
        }
      },
    ),
  );
  return (
    <dialog
      ref={(each) => {
        element = each;
      }}
      class="dialog"
      data-size={props.size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onPointerDown={(event) => {
        // A press on the backdrop has the dialog itself as its target; its content covers the rest.
        if (event.target === element && isOutside(event, element)) {
          props.onClose();
        }
      }}
    >
      <Show when={props.isOpen}>
        <div class="dialog-head">
          <h2 id={titleId}>{props.title}</h2>
          <Button variant="quiet" shape="square" aria-label={texts().close} onClick={() => props.onClose()}>
            <Icon name="close" />
          </Button>
        </div>
        <div class="dialog-body">{props.children}</div>
      </Show>
    </dialog>
  );
}

function isOutside({ clientX, clientY }: PointerEvent, element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}
