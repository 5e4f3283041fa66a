import type { Sort } from "../../../table/model.ts";

/** A report is loaded completely, so the browser sorts its rows: numbers by value, everything else by text. */
export function sortRows<Row extends object>(rows: readonly Row[], sort: Sort | null): readonly Row[] {
  if (sort === null) {
    return rows;
  }
  const cellOf = (row: Row): unknown => (row as Readonly<Record<string, unknown>>)[sort.column];
  const sign = sort.isDescending ? -1 : 1;
  return [...rows].sort((one, other) => sign * compare(cellOf(one), cellOf(other)));
}

function compare(one: unknown, other: unknown): number {
  const [first, second] = [Number(one ?? Number.NaN), Number(other ?? Number.NaN)];
  if (Number.isFinite(first) && Number.isFinite(second)) {
    return first - second;
  }
  return String(one ?? "").localeCompare(String(other ?? ""), "en");
}
