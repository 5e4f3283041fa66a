import { useSearchParams } from "@solidjs/router";
import { t } from "../translate.ts";
import { createRangeState, type RangeState } from "./range-bar.tsx";

/** The filters of a list by its time, in addition to its own; `createTableState` takes them like any other. */
export const rangeFilters = ["from_day", "to_day", "zone"] as const;

/** The days of a list. A change shows other rows, so the list returns to its first page. */
export function createListRange(): RangeState {
  const range = createRangeState();
  const [, setParams] = useSearchParams();
  return {
    ...range,
    unset: t("All days"),
    set: (values) => setParams({ ...values, cursor: null, open: null }, { scroll: false }),
  };
}
