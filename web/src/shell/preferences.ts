import { type Accessor, createSignal } from "solid-js";

/** Also read by the blocking script `boot-theme.ts`, so that nothing flashes. */
const themeKey = "theme";
const shortcutsKey = "single-key-shortcuts";
/** Also read by `boot-sidebar.ts`. */
const collapsedKey = "sidebar-collapsed";

export type Theme = "system" | "light" | "dark";

/** Storage is unavailable in some private windows; a preference then lasts as long as the page. */
export function readPreference(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keepPreference(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // There is no storage; the page continues with what it has in memory.
  }
}

const [theme, setThemeSignal] = createSignal<Theme>(toTheme(readPreference(themeKey)));
const [hasShortcuts, setHasShortcutsSignal] = createSignal(readPreference(shortcutsKey) !== "off");
const [isCollapsed, setIsCollapsedSignal] = createSignal(readPreference(collapsedKey) === "yes");

export const chosenTheme: Accessor<Theme> = theme;

export function chooseTheme(next: Theme): void {
  setThemeSignal(next);
  keepPreference(themeKey, next);
  if (next === "system") {
    delete document.documentElement.dataset["theme"];
  } else {
    document.documentElement.dataset["theme"] = next;
  }
}

/** Whether single letters are shortcuts; people who use speech input turn them off. */
export const hasSingleKeys: Accessor<boolean> = hasShortcuts;

export function switchSingleKeys(isOn: boolean): void {
  setHasShortcutsSignal(isOn);
  keepPreference(shortcutsKey, isOn ? "on" : "off");
}

export const isSidebarCollapsed: Accessor<boolean> = isCollapsed;

export function collapseSidebar(isNow: boolean): void {
  setIsCollapsedSignal(isNow);
  keepPreference(collapsedKey, isNow ? "yes" : "no");
  if (isNow) {
    document.documentElement.dataset["sidebar"] = "collapsed";
  } else {
    delete document.documentElement.dataset["sidebar"];
  }
}

function toTheme(text: string | null): Theme {
  return text === "light" || text === "dark" ? text : "system";
}
