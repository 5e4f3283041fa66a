import type { JSX } from "solid-js";

/** One column. Its content comes with the row: a list requests nothing more from the backend. */
export type Column<Row> = {
  /** The id of the column, which is also the backend's name for sorting. */
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => JSX.Element;
  readonly align?: "end";
  readonly isSortable?: boolean;
  readonly isHiddenAtFirst?: boolean;
  /**
   * The place of the column on a phone, where a row is a card: its title, a badge beside it, a line (default), or not
   * shown.
   */
  readonly card?: "title" | "badge" | "hidden";
};

/** A filter with a list of choices. */
export type ChoiceFilter = {
  /** The name of the filter in the URL. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
};

/** A text filter, such as a search; marked as the search of the page. */
export type SearchFilter = { readonly id: string; readonly label: string; readonly isSearch: true };

export type Filter = ChoiceFilter | SearchFilter;

export type Sort = { readonly column: string; readonly isDescending: boolean };

/** Parses the sort of a URL; `-created_at` is descending. */
export function parseSort(text: string): Sort | null {
  const match = /^(-?)([a-z][a-z0-9_]{0,63})$/.exec(text);
  return match === null ? null : { column: match[2] ?? "", isDescending: match[1] === "-" };
}

export function formatSort({ column, isDescending }: Sort): string {
  return isDescending ? `-${column}` : column;
}

/** The first press sorts descending, the second ascending, the third restores the default. */
export function nextSort(current: Sort | null, column: string): Sort | null {
  if (current?.column !== column) {
    return { column, isDescending: true };
  }
  return current.isDescending ? { column, isDescending: false } : null;
}
