import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, onCleanup, Show } from "solid-js";
import { findEntries, type PaletteEntry } from "./palette-entries.ts";
import type { ShellTexts } from "./shell-texts.ts";
import "../kit/dialog.css";
import "./palette.css";

type PaletteProps = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly entries: readonly PaletteEntry[];
  /** What can be begun, shown before the other entries. */
  readonly loadActions: () => Promise<readonly PaletteEntry[]>;
  readonly search: (words: string, signal: AbortSignal) => Promise<readonly PaletteEntry[]>;
  readonly texts: ShellTexts;
};

type Search = { readonly state: "idle" | "running" | "failed"; readonly results: readonly PaletteEntry[] };

const shownMax = 30;
/** How long nothing is typed before a search begins. */
const pauseMs = 150;
const idle: Search = { state: "idle", results: [] };

/** Pages, things and actions by name: type, select with the arrows, press Enter. */
export function Palette(props: PaletteProps): JSX.Element {
  const id = createUniqueId();
  const [words, setWords] = createSignal("");
  const [at, setAt] = createSignal(0);
  let dialog: HTMLDialogElement | undefined;
  const search = createSearch(words, (typed, signal) => props.search(typed, signal));
  const entries = createEntries(props);
  const found = createMemo(() => [...findEntries(entries(), words()), ...search().results].slice(0, shownMax));
  const status = (): string => statusText(search(), found().length, props.texts);
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
        <p class="palette-empty" role="status" hidden={status() === ""}>
          {status()}
        </p>
      </Show>
    </dialog>
  );
}

/**
 * What is always there, after what can be begun. That is asked each time the palette opens; without it, as when the connection
 * is gone, the palette has its pages.
 */
function createEntries(props: PaletteProps): () => readonly PaletteEntry[] {
  const [actions, setActions] = createSignal<readonly PaletteEntry[]>([]);
  createEffect(() => {
    if (props.isOpen) {
      props.loadActions().then(setActions, () => setActions([]));
    }
  });
  return () => [...actions(), ...props.entries];
}

function statusText({ state }: Search, count: number, texts: ShellTexts): string {
  const nothing = count === 0 ? texts.paletteNothing : "";
  return { idle: nothing, running: texts.paletteSearching, failed: texts.paletteFailed }[state];
}

/** What a search for the words finds. A search ends when the words change, and results of old words are not shown. */
function createSearch(words: () => string, find: PaletteProps["search"]): () => Search {
  const [search, setSearch] = createSignal<Search>(idle);
  createEffect(() => {
    const typed = words().trim();
    setSearch(idle);
    if (typed === "") {
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      setSearch({ state: "running", results: [] });
      find(typed, controller.signal).then(
        (results) => controller.signal.aborted || setSearch({ state: "idle", results }),
        () => controller.signal.aborted || setSearch({ state: "failed", results: [] }),
      );
    }, pauseMs);
    onCleanup(() => {
      clearTimeout(timer);
      controller.abort();
    });
  });
  return search;
}
