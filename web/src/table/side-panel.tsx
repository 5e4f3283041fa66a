import { createEffect, createUniqueId, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";
import { useShortcuts } from "../shell/shortcuts.ts";
import "./side-panel.css";

type SidePanelProps = {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** Moves to the next (1) or previous (-1) row of the list, by J and K or the buttons. */
  readonly onStep: (step: 1 | -1) => void;
  readonly children: JSX.Element;
};

/** Details of one row beside the list, which stays usable. Escape closes. */
export function SidePanel(props: SidePanelProps): JSX.Element {
  const texts = useKitTexts();
  const id = createUniqueId();
  let heading: HTMLHeadingElement | undefined;
  useShortcuts(
    (): Record<string, () => void> => (props.isOpen ? { j: () => props.onStep(1), k: () => props.onStep(-1) } : {}),
  );
  const onKey = (event: KeyboardEvent): void => {
    if (
      event.key === "Escape" &&
      props.isOpen &&
      !event.defaultPrevented &&
      document.querySelector("dialog[open]") === null
    ) {
      props.onClose();
    }
  };
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));
  createEffect(
    on(
      () => props.isOpen,
      (isOpen) => isOpen && heading?.focus(),
    ),
  );
  return (
    <Show when={props.isOpen}>
      <aside class="side-panel" aria-labelledby={id}>
        <div class="side-panel-head">
          <h2
            id={id}
            tabindex="-1"
            ref={(each) => {
              heading = each;
            }}
          >
            {props.title}
          </h2>
          <Button variant="quiet" shape="square" aria-label={texts().previous} onClick={() => props.onStep(-1)}>
            <Icon name="up" />
          </Button>
          <Button variant="quiet" shape="square" aria-label={texts().next} onClick={() => props.onStep(1)}>
            <Icon name="down" />
          </Button>
          <Button variant="quiet" shape="square" aria-label={texts().close} onClick={() => props.onClose()}>
            <Icon name="close" />
          </Button>
        </div>
        <div class="side-panel-body">{props.children}</div>
      </aside>
    </Show>
  );
}
