import { type Accessor, createSignal } from "solid-js";
import { keepPreference, readPreference } from "../shell/preferences.ts";
import type { Column } from "./model.ts";

/** A table's visible columns and row density, stored per table in this browser. */
export type TableLayout<Row> = {
  readonly visible: Accessor<readonly Column<Row>[]>;
  readonly isVisible: (id: string) => boolean;
  /** The columns that are not shown. */
  readonly hidden: Accessor<readonly string[]>;
  /** Shows all columns but these, as far as at least one is left. */
  readonly hide: (ids: readonly string[]) => void;
  readonly toggle: (id: string) => void;
  readonly isCompact: Accessor<boolean>;
  readonly toggleCompact: () => void;
};

export function createTableLayout<Row>(name: string, columns: () => readonly Column<Row>[]): TableLayout<Row> {
  const columnsKey = `table-${name}-columns`;
  const densityKey = `table-${name}-density`;
  const first = columns().filter((column) => column.isHiddenAtFirst === true);
  const kept = readPreference(columnsKey)?.split(",");
  const [hidden, setHidden] = createSignal<readonly string[]>(kept ?? first.map(({ id }) => id));
  const [isCompact, setIsCompact] = createSignal(readPreference(densityKey) === "compact");
  const hide = (ids: readonly string[]): void => {
    // At least one column stays: a table without columns would show nothing that could be opened.
    if (columns().some((column) => !ids.includes(column.id))) {
      setHidden(ids);
      keepPreference(columnsKey, ids.join(","));
    }
  };
  const isVisible = (id: string): boolean => !hidden().includes(id);
  return {
    visible: () => columns().filter(({ id }) => isVisible(id)),
    isVisible,
    hidden: () => hidden().filter((id) => id !== ""),
    hide,
    toggle: (id) => hide(isVisible(id) ? [...hidden(), id] : hidden().filter((each) => each !== id)),
    isCompact,
    toggleCompact: () => {
      const next = !isCompact();
      setIsCompact(next);
      keepPreference(densityKey, next ? "compact" : "usual");
    },
  };
}
