import { createContext } from "solid-js";

/** How somebody wants to see a list: what its address has, and the columns that are not shown. */
export type View = {
  readonly name: string;
  /** Filters, sort and page size by the names that they have in the address. */
  readonly query: Readonly<Record<string, string>>;
  readonly hidden: readonly string[];
  /** Whether the list opens with it. */
  readonly isDefault: boolean;
};

/** Where the views of an app are stored. Lists are named as their tables are. */
export type ViewStore = {
  /** Undefined until they are loaded. */
  readonly viewsOf: (list: string) => readonly View[] | undefined;
  /** Replaces the view with this name; if it is the default, no other one is. */
  readonly save: (list: string, view: View) => Promise<void>;
  readonly remove: (list: string, name: string) => Promise<void>;
};

/** Without a store, tables have no views. */
export const ViewStoreContext = createContext<ViewStore | null>(null);

/** Whether two views show the same. */
export function showsSame(a: Pick<View, "query" | "hidden">, b: Pick<View, "query" | "hidden">): boolean {
  const text = ({ query, hidden }: Pick<View, "query" | "hidden">): string =>
    JSON.stringify([Object.entries(query).sort(([x], [y]) => (x < y ? -1 : 1)), [...hidden].sort()]);
  return text(a) === text(b);
}
