import { type Accessor, createContext, type JSX, useContext } from "solid-js";

/** The few words that the kit itself says; the rest comes from the pages. English unless a provider says otherwise. */
export const kitTextsEn = {
  close: "Close",
  cancel: "Cancel",
  copy: "Copy",
  copied: "Copied",
  retry: "Try again",
  requestId: "Request",
  previous: "Previous",
  next: "Next",
  firstPage: "First page",
  rowsPerPage: "Rows per page",
  columns: "Columns",
  density: "Compact rows",
  exportCsv: "Export CSV",
  exportJson: "Export JSON",
  viewAsTable: "View as table",
  viewAsChart: "View as chart",
  any: "All",
  noMatches: "Nothing matches these filters",
  clearFilters: "Clear filters",
  loading: "Loading",
  failed: "This could not be loaded",
  sortBy: "Sort by",
  openRow: "Open",
  table: "Table",
  notifications: "Notifications",
  more: "More",
  inAll: "In all",
  moreThan: "More than",
  reset: "Reset",
  page: "Page",
} as const;

export type KitTexts = { readonly [Key in keyof typeof kitTextsEn]: string };

const KitTextsContext = createContext<Accessor<KitTexts>>(() => kitTextsEn);

/** Gives the kit its words in another language. */
export function KitTextsProvider(props: {
  readonly texts: Accessor<KitTexts>;
  readonly children: JSX.Element;
}): JSX.Element {
  return <KitTextsContext.Provider value={props.texts}>{props.children}</KitTextsContext.Provider>;
}

export function useKitTexts(): Accessor<KitTexts> {
  return useContext(KitTextsContext);
}
