import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, Show } from "solid-js";
import { findEntries, type PaletteEntry } from "./palette-entries.ts";
import type { ShellTexts } from "./shell-texts.ts";
import "../kit/dialog.css";
import "./palette.css";

type PaletteProps = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly entries: readonly PaletteEntry[];
  readonly texts: ShellTexts;
};

const shownMax = 30;

/** Pages, things and actions by name: type, select with the arrows, press Enter. */
export function Palette(props: PaletteProps): JSX.Element {
  const id = createUniqueId();
  const [words, setWords] = createSignal("");
  const [at, setAt] = createSignal(0);
  let dialog: HTMLDialogElement | undefined;
  const found = createMemo(() => findEntries(props.entries, words()).slice(0, shownMax));
  createEffect(
    on(
      () => props.isOpen,
      (isOpen) => {
        if (isOpen && dialog?.open === false) {
          setWords("");
          setAt(0);
          dialog.showModal();
        } else if (!isOpen) {
          dialog?.close();
        }
      },
    ),
  );
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry !== undefined) {
      props.onClose();
      entry.onSelect();
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const count = found().length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((now) => (count === 0 ? 0 : (now + (event.key === "ArrowDown" ? 1 : count - 1)) % count));
      document.getElementById(`${id}-${at()}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found()[at()]);
    }
  };
  return (
    <dialog
      ref={(each) => {
        dialog = each;
      }}
      class="dialog palette"
      aria-label={props.texts.palette}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog) {
          props.onClose();
        }
      }}
    >
      <Show when={props.isOpen}>
        <input
          class="palette-field"
          role="combobox"
          aria-label={props.texts.palette}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found().length === 0 ? undefined : `${id}-${at()}`}
          aria-autocomplete="list"
          placeholder={props.texts.paletteHint}
          autocomplete="off"
          spellcheck={false}
          value={words()}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <div class="palette-list" id={`${id}-list`} role="listbox" aria-label={props.texts.palette}>
          <For each={found()}>
            {(entry, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, which names the chosen option.
              <div
                id={`${id}-${index()}`}
                role="option"
                tabIndex={-1}
                aria-selected={index() === at()}
                onClick={() => choose(entry)}
              >
                <span>{entry.label}</span>
                <span class="muted">{entry.kind}</span>
              </div>
            )}
          </For>
        </div>
        <p class="palette-empty" role="status" hidden={found().length > 0}>
          {found().length === 0 ? props.texts.paletteNothing : ""}
        </p>
      </Show>
    </dialog>
  );
}
