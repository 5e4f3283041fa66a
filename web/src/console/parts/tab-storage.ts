/** What the playground keeps until the tab is closed or the user logs out, by name. */
const names = ["playground-key", "playground-draft"] as const;
type Name = (typeof names)[number];

/** Storage is unavailable in some private windows; what is kept then lasts as long as the page. */
export function readTab(name: Name): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Null removes it. */
export function keepTab(name: Name, value: unknown): void {
  try {
    if (value === null) {
      sessionStorage.removeItem(name);
    } else {
      sessionStorage.setItem(name, JSON.stringify(value));
    }
  } catch {
    // There is no storage, or it is full; the page continues with what it has in memory.
  }
}

/** Nothing of a user remains in the tab for the next one. */
export function clearTab(): void {
  for (const name of names) {
    keepTab(name, null);
  }
}
