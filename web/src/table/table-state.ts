import { useSearchParams } from "@solidjs/router";
import { formatSort, parseSort, type Sort } from "./model.ts";

const pageSizes: readonly number[] = [25, 50, 100];
const pageSizeDefault = 25;

/** The state of a list, stored in the URL: Back works, and a link shows the same to others. */
export type TableState = {
  /** The value of a filter, or an empty text if the filter is not set. */
  readonly filter: (id: string) => string;
  readonly setFilter: (id: string, value: string) => void;
  /** Several at once. */
  readonly setFilters: (values: Readonly<Record<string, string>>) => void;
  readonly clearFilters: () => void;
  /** The filters that are set. */
  readonly activeFilters: () => readonly string[];
  readonly sort: () => Sort | null;
  readonly setSort: (sort: Sort | null) => void;
  readonly cursor: () => string;
  readonly setCursor: (cursor: string | null) => void;
  readonly pageSize: () => number;
  readonly setPageSize: (size: number) => void;
  /** The id of the row whose panel is open, or an empty text. */
  readonly openId: () => string;
  readonly setOpenId: (id: string | null) => void;
  /** Filters, sort and page size as far as the address has them, which is what a view keeps. */
  readonly viewQuery: () => Readonly<Record<string, string>>;
  /** Shows exactly what a view keeps, from the first page on. `isFirst`: without a step back to what was before. */
  readonly applyView: (query: Readonly<Record<string, string>>, isFirst: boolean) => void;
  /** Whether the address says nothing about the list. */
  readonly isPlain: () => boolean;
  /** The query of the list in the form that the backend takes; also for export links. */
  readonly query: () => Readonly<Record<string, string | number>>;
};

type TableStateOptions = {
  /** The names of the filters, which are their names in the URL. */
  readonly filters: readonly string[];
  readonly sort?: Sort;
  /** A prefix of the parameter names, if a page has two lists. */
  readonly prefix?: string;
};

/** The state of a list. Must be used on a page inside the router. */
export function createTableState(options: TableStateOptions): TableState {
  const [params, setParams] = useSearchParams();
  const { prefix = "" } = options;
  const read = (name: string): string => {
    const value = params[prefix + name];
    return typeof value === "string" ? value : "";
  };
  const write = (values: Readonly<Record<string, string | null>>, isStep: boolean): void => {
    const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
    setParams(named, { replace: !isStep, scroll: false });
  };
  const filter = (id: string): string => read(id);
  const sort = (): Sort | null => parseSort(read("sort")) ?? options.sort ?? null;
  const pageSize = (): number => {
    const size = Number(read("limit"));
    return pageSizes.includes(size) ? size : pageSizeDefault;
  };
  const viewNames: readonly string[] = [...options.filters, "sort", "limit"];
  const activeFilters = (): string[] => options.filters.filter((id) => filter(id) !== "");
  const setFilters = (values: Readonly<Record<string, string>>): void => {
    const set = Object.entries(values).map(([id, value]) => [id, value === "" ? null : value] as const);
    write({ ...Object.fromEntries(set), cursor: null, open: null }, true);
  };
  return {
    filter,
    // A change of the filters or the order returns to the first page.
    setFilter: (id, value) => setFilters({ [id]: value }),
    setFilters,
    clearFilters: () =>
      write({ ...Object.fromEntries(options.filters.map((id) => [id, null])), cursor: null, open: null }, true),
    activeFilters,
    sort,
    setSort: (next) => write({ sort: next === null ? null : formatSort(next), cursor: null, open: null }, true),
    cursor: () => read("cursor"),
    setCursor: (cursor) => write({ cursor, open: null }, true),
    pageSize,
    setPageSize: (size) => write({ limit: size === pageSizeDefault ? null : String(size), cursor: null }, false),
    openId: () => read("open"),
    setOpenId: (id) => write({ open: id }, read("open") === "" || id === null),
    viewQuery: () =>
      Object.fromEntries(viewNames.flatMap((name) => (read(name) === "" ? [] : [[name, read(name)] as const]))),
    applyView: (query, isFirst) =>
      write(
        {
          ...Object.fromEntries(viewNames.map((name) => [name, query[name] ?? null])),
          ...{ cursor: null, open: null },
        },
        !isFirst,
      ),
    isPlain: () => [...viewNames, "cursor", "open"].every((name) => read(name) === ""),
    query: () => {
      const sorted = sort();
      return {
        ...Object.fromEntries(activeFilters().map((id) => [id, filter(id)])),
        ...(sorted === null ? {} : { sort: formatSort(sorted) }),
        ...(read("cursor") === "" ? {} : { cursor: read("cursor") }),
        limit: pageSize(),
      };
    },
  };
}
