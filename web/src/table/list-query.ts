import type { ListResponse } from "@sluice/contracts/lists";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { createSignal } from "solid-js";
import { type ApiError, apiGet, apiUrl } from "../api/client.ts";
import type { TableState } from "./table-state.ts";

/** The query of a list, in the form that `DataTable` takes: spread it over the table. */
export type ListQuery<Row> = {
  readonly rows: readonly Row[] | undefined;
  readonly nextCursor: string | null | undefined;
  readonly total: ListResponse<Row>["total"];
  readonly isLoading: boolean;
  readonly isRefreshing: boolean;
  readonly error: ApiError | Error | null;
  readonly onRetry: () => void;
  readonly exports: { readonly csv: string; readonly json: string };
  /** The row that is sought; undefined until it is loaded, null if it does not exist. */
  readonly elsewhere: Row | null | undefined;
  /** Looks for a row by its id that is not on this page; an empty text for none. */
  readonly seek: (id: string) => void;
};

type ListOptions = {
  /** With a trailing slash; the page is at `<path>list/`, the file at `<path>export/`. */
  readonly path: string;
  readonly state: TableState;
  /** The interval, in milliseconds, of refetching while the page is visible; 0 disables it. */
  readonly refreshMs?: () => number;
};

/** A page of a backend list (`listContract` in packages/contracts), as selected by the URL. */
export function createListQuery<Row>(options: ListOptions): ListQuery<Row> {
  const { path, state } = options;
  const query = createQuery(() => ({
    queryKey: [path, state.query()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      // The row type is that of the same contract whose path this is.
      apiGet(`${path}list/`, { query: state.query(), signal }) as Promise<ListResponse<Row>>,
    // The previous rows stay, dimmed, until the new ones have loaded.
    placeholderData: keepPreviousData,
    refetchInterval: options.refreshMs?.() ?? 0,
  }));
  const [sought, seek] = createSignal("");
  const elsewhere = createQuery(() => ({
    queryKey: [path, "named", sought()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${path}list/`, { query: { rows: sought() }, signal }) as Promise<ListResponse<Row>>,
    enabled: sought() !== "",
    // A link may name what can't be an id of this list.
    retry: false,
  }));
  return {
    seek,
    get elsewhere() {
      return sought() === "" || elsewhere.isPending ? undefined : (elsewhere.data?.rows[0] ?? null);
    },
    get rows() {
      return query.data?.rows;
    },
    get nextCursor() {
      return query.data === undefined ? undefined : query.data.next_cursor;
    },
    get total() {
      return query.data?.total ?? null;
    },
    get isLoading() {
      return query.isPending;
    },
    get isRefreshing() {
      return query.isPlaceholderData;
    },
    get error() {
      return query.error;
    },
    onRetry: () => void query.refetch(),
    get exports() {
      return exportsOf(path, state);
    },
  };
}

/** The export URLs of a list, as selected by the URL. @param path with a trailing slash */
export function exportsOf(path: string, state: TableState): { readonly csv: string; readonly json: string } {
  const { cursor: _cursor, limit: _limit, ...asked } = state.query() as Record<string, string | number>;
  return {
    csv: apiUrl(`${path}export/`, { ...asked, format: "csv" }),
    json: apiUrl(`${path}export/`, { ...asked, format: "json" }),
  };
}
