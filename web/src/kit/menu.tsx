import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { Button } from "./button.tsx";
import { placeBeside } from "./float.ts";
import "./menu.css";

export type MenuEntry =
  | {
      readonly label: string;
      readonly onSelect: () => void;
      readonly tone?: "bad";
      /** A disabled entry says so in its label, not only by its colour. */
      readonly isDisabled?: boolean;
      /** Makes the entry a checkbox. */
      readonly isChecked?: boolean;
      /** A checkbox leaves the menu open, for the next one, unless it is one choice of several. */
      readonly closes?: boolean;
    }
  | { readonly label: string; readonly href: string; readonly isDownload?: boolean }
  /** A text above the entries that it describes. */
  | { readonly heading: string }
  | "line";

type MenuProps = {
  /** Read out when the button shows only an icon. */
  readonly label: string;
  readonly button: JSX.Element;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
  readonly variant?: "plain" | "quiet";
  readonly shape?: "square" | undefined;
};

/**
 * A button that opens a list of actions. Arrows, Home, End and first letters move, Escape closes and returns the focus.
 */
export function Menu(props: MenuProps): JSX.Element {
  const id = createUniqueId();
  const [isOpen, setIsOpen] = createSignal(false);
  // A page has several menus, and most of them are never opened.
  const [isDrawn, setIsDrawn] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  let list: HTMLDivElement | undefined;
  const items = (): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  const open = (at: "first" | "last"): void => {
    if (list === undefined || button === undefined) {
      return;
    }
    setIsDrawn(true);
    list.showPopover();
    placeBeside(button, list, props.align ?? "start");
    items()
      .at(at === "first" ? 0 : -1)
      ?.focus();
  };
  const close = (): void => {
    list?.hidePopover();
    button?.focus();
  };
  const onListKey = (event: KeyboardEvent): void => {
    const target = nextFocus(items(), event.key);
    if (target !== null) {
      event.preventDefault();
      target.focus();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") {
      list?.hidePopover();
    }
  };
  return (
    <>
      <Button
        ref={(each: HTMLButtonElement) => {
          button = each;
        }}
        variant={props.variant ?? "plain"}
        shape={props.shape}
        aria-label={props.shape === "square" ? props.label : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        aria-controls={id}
        onClick={() => (isOpen() ? close() : open("first"))}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            open(event.key === "ArrowDown" ? "first" : "last");
          }
        }}
      >
        {props.button}
      </Button>
      <div
        ref={(each) => {
          list = each;
        }}
        id={id}
        class="float menu"
        popover="auto"
        role="menu"
        tabindex="-1"
        aria-label={props.label}
        onToggle={(event) => setIsOpen(event.newState === "open")}
        onKeyDown={onListKey}
      >
        <For each={isDrawn() ? props.entries : []}>{(entry) => <MenuLine entry={entry} close={close} />}</For>
      </div>
    </>
  );
}

function MenuLine(props: { readonly entry: MenuEntry; readonly close: () => void }): JSX.Element {
  const { entry } = props;
  if (entry === "line") {
    return <hr class="menu-line" />;
  }
  if ("heading" in entry) {
    return (
      <span class="menu-heading" role="presentation">
        <bdi>{entry.heading}</bdi>
      </span>
    );
  }
  if ("href" in entry) {
    return (
      <a class="menu-item" role="menuitem" tabindex="-1" href={entry.href} download={entry.isDownload ? "" : undefined}>
        {entry.label}
      </a>
    );
  }
  const isChoice = entry.isChecked !== undefined;
  return (
    <button
      type="button"
      class="menu-item"
      {...(isChoice
        ? { role: "menuitemcheckbox" as const, "aria-checked": entry.isChecked }
        : { role: "menuitem" as const })}
      aria-disabled={entry.isDisabled === true ? "true" : undefined}
      data-tone={entry.tone}
      tabindex="-1"
      onClick={() => {
        if (entry.isDisabled !== true) {
          if (!isChoice || entry.closes === true) {
            props.close();
          }
          entry.onSelect();
        }
      }}
    >
      <Show when={entry.label}>{entry.label}</Show>
    </button>
  );
}

/** The index that a key moves the focus to, or null for a key without meaning in a list. */
function nextFocus(items: readonly HTMLElement[], key: string): HTMLElement | null {
  const at = items.findIndex((item) => item.matches(":focus"));
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: items.length - 1,
  };
  const move = moves[key];
  if (move !== undefined) {
    return items[(move + items.length) % items.length] ?? null;
  }
  if (key.length !== 1 || key === " ") {
    return null;
  }
  const rest = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return rest.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()) === true) ?? null;
}
