import type { traceListOutput } from "@sluice/contracts/traces";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";
import { exportsOf } from "../../../table/list-query.ts";
import type { TableState } from "../../../table/table-state.ts";

export type TraceRow = ResponseOf<typeof traceListOutput>["traces"][number];

const base = "/backend/admin/trace/";
export const tracePath = `${base}list/`;

type TraceQuery = {
  readonly rows: readonly TraceRow[] | undefined;
  readonly nextCursor: string | null | undefined;
  readonly isLoading: boolean;
  readonly isRefreshing: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly exports: { readonly csv: string; readonly json: string };
};

/** Files are sorted by time: they may cover more than a list by duration. */
function unsorted(query: ReturnType<TableState["query"]>): ReturnType<TableState["query"]> {
  const { sort: _sort, ...rest } = query as Record<string, string | number>;
  return rest;
}

/** A page of the trace, in the form that `DataTable` takes. The trace has its own paging, and no totals. */
export function createTraceQuery(state: TableState, refreshMs: () => number): TraceQuery {
  const query = createQuery(() => ({
    queryKey: [tracePath, state.query()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof traceListOutput>(tracePath, { query: state.query(), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs(),
  }));
  return {
    get rows() {
      return query.data?.traces;
    },
    get nextCursor() {
      return query.data === undefined ? undefined : query.data.next_cursor;
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
      return exportsOf(base, { ...state, query: () => unsorted(state.query()) });
    },
  };
}
