import { csvWriter, writeBigInt } from "../csv.ts";
import type { Column } from "./model.ts";

export type ExportFormat = "csv" | "json";

/** How rows become the text of a file: the text before, between and after them. */
export type RowWriter = {
  readonly contentType: string;
  readonly head: string;
  readonly write: (row: Readonly<Record<string, unknown>>, isFirst: boolean) => string;
  readonly tail: string;
};

/** The list determines names and types, so that our own numbers stay numbers and every text is made harmless. */
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
