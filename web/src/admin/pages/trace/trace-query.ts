import type { traceListOutput } from "@sluice/contracts/traces";
import type { AnswerOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";
import type { TableState } from "../../../table/table-state.ts";

export type TraceRow = AnswerOf<typeof traceListOutput>["traces"][number];

export const tracePath = "/backend/admin/trace/list/";

type TraceQuery = {
  readonly rows: readonly TraceRow[] | undefined;
  readonly nextCursor: string | null | undefined;
  readonly isLoading: boolean;
  readonly isRefreshing: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
};

/** A page of the trace, in the form in which `DataTable` takes it. The trace has pages of its own, and no sums or files. */
export function createTraceQuery(state: TableState, refreshMs: () => number): TraceQuery {
  const query = createQuery(() => ({
    queryKey: [tracePath, state.query()],
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      const { sort: _sort, ...asked } = state.query() as Record<string, string | number>;
      return apiGet<typeof traceListOutput>(tracePath, { query: asked, signal });
    },
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
  };
}
