import { createUniqueId, For, type JSX } from "solid-js";
import "./tabs.css";

type TabsProps<Id extends string> = {
  readonly label: string;
  readonly tabs: readonly { readonly id: Id; readonly label: string }[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** What the selected tab shows. */
  readonly children: JSX.Element;
};

/** Views of one thing. Arrow keys move along and select; the owner keeps which one is selected, best in the URL. */
export function Tabs<Id extends string>(props: TabsProps<Id>): JSX.Element {
  const id = createUniqueId();
  let list: HTMLDivElement | undefined;
  const onKey = (event: KeyboardEvent): void => {
    const isRightToLeft = list !== undefined && getComputedStyle(list).direction === "rtl";
    const at = props.tabs.findIndex((tab) => tab.id === props.selected);
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: isRightToLeft ? at - 1 : at + 1,
      ArrowLeft: isRightToLeft ? at + 1 : at - 1,
      Home: 0,
      End: props.tabs.length - 1,
    };
    const move = moves[event.key];
    const next = move === undefined ? undefined : props.tabs[(move + props.tabs.length) % props.tabs.length];
    if (next !== undefined) {
      event.preventDefault();
      props.onSelect(next.id);
      list?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.id}`)}`)?.focus();
    }
  };
  return (
    <div class="tab-set">
      <div
        ref={(each) => {
          list = each;
        }}
        class="tabs"
        role="tablist"
        aria-label={props.label}
        tabindex="-1"
        onKeyDown={onKey}
      >
        <For each={props.tabs}>
          {(tab) => (
            <button
              type="button"
              id={`${id}-${tab.id}`}
              class="tab"
              role="tab"
              aria-selected={tab.id === props.selected}
              aria-controls={`${id}-panel`}
              tabindex={tab.id === props.selected ? 0 : -1}
              onClick={() => props.onSelect(tab.id)}
            >
              {tab.label}
            </button>
          )}
        </For>
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${props.selected}`}>
        {props.children}
      </div>
    </div>
  );
}
