import type { z } from "zod";
import { csvHeaders, csvWriter } from "../../platform/csv.ts";
import type { ReportRange } from "./range.ts";

type Cell = string | bigint | number | Date | null;

/** A file: its name, the declaration of its rows, and the rows. */
export type ReportFile = {
  readonly name: string;
  readonly columns: z.ZodObject;
  readonly rows: readonly Readonly<Record<string, Cell>>[];
};

/** Columns that may contain text from other people; all others are our own numbers and times. */
const textColumns: ReadonlySet<string> = new Set([
  "key",
  "name",
  "kind",
  "subject",
  "detail",
  "campaign",
  "utm_source",
  "utm_medium",
  "zone",
]);

/** A report as a file: a line for each row under the names of its columns, with the time zone in every row. */
export function reportCsv({ fromDay, toDay, zone }: ReportRange, { name, columns, rows }: ReportFile): Response {
  const { head, line } = csvWriter([...Object.keys(columns.shape), "zone"], (column) => !textColumns.has(column));
  const text = head + rows.map((row) => line({ ...row, zone })).join("");
  return new Response(text, { headers: csvHeaders(`${name}-${fromDay}-${toDay}.csv`) });
}
