import { onCleanup, onMount } from "solid-js";
import { hasSingleKeys } from "./preferences.ts";

const sequenceMs = 1_000;

/** Actions by the keys that trigger them; two letters with a space between are pressed one after the other. */
export type Shortcuts = Readonly<Record<string, () => void>>;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], [role=menu]") !== null
  );
}

/**
 * Single keys and pairs of keys, while nobody is typing, nothing modal is open, and the user has not turned them off.
 */
export function useShortcuts(shortcuts: () => Shortcuts): void {
  let pending = "";
  let pendingAt = 0;
  const onKey = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || event.defaultPrevented || !hasSingleKeys() || isTyping(event.target)) {
      return;
    }
    if (document.querySelector("dialog[open]") !== null) {
      return;
    }
    const known = shortcuts();
    const pair = event.timeStamp - pendingAt < sequenceMs ? `${pending} ${event.key}` : "";
    const action = known[pair] ?? known[event.key];
    pending = event.key;
    pendingAt = event.timeStamp;
    if (action !== undefined) {
      event.preventDefault();
      pending = "";
      action();
    }
  };
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
