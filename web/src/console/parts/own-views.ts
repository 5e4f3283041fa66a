import { createSignal } from "solid-js";
import type { View, ViewStore } from "../../kit/table-views.ts";
import { keepPreference, readPreference } from "../../shell/preferences.ts";

const viewsMax = 20;
const keyOf = (list: string): string => `table-${list}-views`;

/** Views that are kept in this browser. */
export function createOwnViews(): ViewStore {
  const [changes, setChanges] = createSignal(0);
  const viewsOf = (list: string): readonly View[] => {
    changes();
    return readViews(readPreference(keyOf(list)));
  };
  const keep = (list: string, views: readonly View[]): void => {
    keepPreference(keyOf(list), JSON.stringify(views));
    setChanges((count) => count + 1);
  };
  return {
    viewsOf,
    save: async (list, view) => {
      const others = viewsOf(list)
        .filter(({ name }) => name !== view.name)
        .map((each) => (view.isDefault ? { ...each, isDefault: false } : each));
      keep(list, [...others, view].slice(-viewsMax));
    },
    remove: async (list, name) =>
      keep(
        list,
        viewsOf(list).filter((each) => each.name !== name),
      ),
  };
}

/** What is stored may be of another version of the program, or somebody's own work. */
export function readViews(text: string | null): readonly View[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const { name, query, hidden, isDefault } = value as Readonly<Record<string, unknown>>;
  return (
    typeof name === "string" &&
    typeof query === "object" &&
    query !== null &&
    Object.values(query).every((each) => typeof each === "string") &&
    Array.isArray(hidden) &&
    hidden.every((each) => typeof each === "string") &&
    typeof isDefault === "boolean"
  );
}
