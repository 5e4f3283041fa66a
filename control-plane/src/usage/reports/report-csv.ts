import type { z } from "zod";
import { csvText } from "../../platform/csv.ts";
import type { ReportRange } from "./range.ts";

type Cell = string | bigint | number | Date | null;

/** A file: what it is called, the declaration of its rows, and the rows. */
export type ReportFile = {
  readonly name: string;
  readonly columns: z.ZodObject;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
};

/** Columns that hold words of others; all the rest are numbers and moments of ours. */
const textColumns: ReadonlySet<string> = new Set([
  "key",
  "name",
  "kind",
  "subject",
  "detail",
  "campaign",
  "utm_source",
  "utm_medium",
]);

function cellText(column: string, value: Cell): string {
  if (value === null) {
    return "";
  }
  const text = value instanceof Date ? value.toISOString() : value.toString();
  return textColumns.has(column) ? csvText(text) : text;
}

/** A report as a file: a line for each row under the names of its columns, and the zone beside every row. */
export function reportCsv({ fromDay, toDay, zone }: ReportRange, { name, columns, rows }: ReportFile): Response {
  const names = Object.keys(columns.shape);
  const lines = [
    [...names, "zone"].join(","),
    ...rows.map((row) => [...names.map((each) => cellText(each, row[each] ?? null)), csvText(zone)].join(",")),
  ];
  return new Response(`${lines.join("\r\n")}\r\n`, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}-${fromDay}-${toDay}.csv"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
