import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import type { ZodType } from "zod";
import { apiGet, apiUrl } from "../../../api/client.ts";
import type { RangeState } from "../../parts/range-bar.tsx";

/** The query of a report. */
export type ReportQuery<Answer> = {
  readonly data: Answer | undefined;
  readonly isLoading: boolean;
  readonly isRefreshing: boolean;
  readonly error: Error | null;
  /** There is an error and no data; the table of the report shows it. */
  readonly hasFailed: boolean;
  readonly onRetry: () => void;
  /** The URL of its download. */
  readonly csv: string;
  readonly by: string;
  readonly setBy: (by: string) => void;
};

/**
 * A report for the selected days.
 * @param choices what it can be grouped by, the first by default; none for a report with a single form
 */
export function createReportQuery<Schema extends ZodType>(
  name: string,
  range: RangeState,
  choices: readonly string[] = [],
): ReportQuery<ResponseOf<Schema>> {
  const path = `/backend/admin/report/${name}/`;
  const [params, setParams] = useSearchParams();
  const by = (): string => choices.find((choice) => choice === params["by"]) ?? choices[0] ?? "";
  const asked = () => ({ ...range.query(), ...(by() === "" ? {} : { by: by() }) });
  const query = createQuery(() => ({
    queryKey: [path, asked()],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<Schema>(path, { query: asked(), signal }),
    placeholderData: keepPreviousData,
  }));
  return {
    get data() {
      return query.data;
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
    get hasFailed() {
      return query.isError && query.data === undefined;
    },
    onRetry: () => void query.refetch(),
    get csv() {
      return apiUrl(path, { ...asked(), format: "csv" });
    },
    get by() {
      return by();
    },
    setBy: (next) => setParams({ by: next, sort: null }, { scroll: false }),
  };
}
