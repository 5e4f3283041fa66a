import { csvWriter, writeBigInt } from "../csv.ts";
import type { Column } from "./model.ts";

export type ExportFormat = "csv" | "json";

/** How rows become the text of a file: what comes before, between and after them. */
export type RowWriter = {
  readonly contentType: string;
  readonly head: string;
  readonly write: (row: Readonly<Record<string, unknown>>, isFirst: boolean) => string;
  readonly tail: string;
};

/** Names and types come from the list, so that our numbers stay numbers and every text is made inert. */
export function rowWriter(format: ExportFormat, columns: Readonly<Record<string, Column>>): RowWriter {
  if (format === "json") {
    return {
      contentType: "application/json; charset=utf-8",
      head: "[",
      write: (row, isFirst) => `${isFirst ? "\n" : ",\n"}${JSON.stringify(row, writeBigInt)}`,
      tail: "\n]\n",
    };
  }
  const { head, line } = csvWriter(Object.keys(columns), (name) => columns[name]?.type === "numeric");
  return { contentType: "text/csv; charset=utf-8", head, write: line, tail: "" };
}
