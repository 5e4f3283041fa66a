import { csvText } from "../csv.ts";
import type { Column, ColumnType } from "./model.ts";

export type ExportFormat = "csv" | "json";

/** How rows become the text of a file: what comes before all, between two and after all of them. */
export type RowWriter = {
  readonly contentType: string;
  readonly head: string;
  readonly write: (row: Readonly<Record<string, unknown>>, isFirst: boolean) => string;
  readonly tail: string;
};

/** Names and types come from the list, so that a number of ours stays a number and every text is made inert. */
export function rowWriter(format: ExportFormat, columns: Readonly<Record<string, Column>>): RowWriter {
  const cells = Object.entries(columns);
  if (format === "json") {
    return {
      contentType: "application/json; charset=utf-8",
      head: "[",
      write: (row, isFirst) => `${isFirst ? "\n" : ",\n"}${JSON.stringify(row, writeBigInt)}`,
      tail: "\n]\n",
    };
  }
  return {
    contentType: "text/csv; charset=utf-8",
    head: `${cells.map(([name]) => csvText(name)).join(",")}\r\n`,
    write: (row) => `${cells.map(([name, { type }]) => csvCell(row[name], type)).join(",")}\r\n`,
    tail: "",
  };
}

/** A decimal comes as text and stays a number; whatever else is text may come from a stranger. */
function csvCell(value: unknown, type: ColumnType): string {
  if (value === null || value === undefined) {
    return "";
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || type === "numeric") {
    return String(value);
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  return csvText(typeof value === "string" ? value : JSON.stringify(value, writeBigInt));
}

function writeBigInt(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") {
    return value;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
