import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import type { TableState } from "../../table/table-state.ts";

type PageOf<Row> = { readonly rows: readonly Row[]; readonly next_cursor: string | number | null };

type CursorListOptions<Row> = {
  readonly name: string;
  readonly state: TableState;
  readonly load: (query: Readonly<Record<string, string | number>>, signal: AbortSignal) => Promise<PageOf<Row>>;
  readonly refreshMs?: () => number;
};

/** A cursor page of a list, in the form that `DataTable` takes. */
export function createCursorList<Row>({ name, state, load, refreshMs }: CursorListOptions<Row>) {
  const asked = () => {
    const { sort: _sort, ...rest } = state.query() as Record<string, string | number>;
    return rest;
  };
  const query = createQuery(() => ({
    queryKey: [name, asked()],
    queryFn: ({ signal }: { signal: AbortSignal }) => load(asked(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs?.() ?? 0,
  }));
  return {
    get rows() {
      return query.data?.rows;
    },
    get nextCursor() {
      return query.data === undefined ? undefined : (query.data.next_cursor?.toString() ?? null);
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
  };
}
