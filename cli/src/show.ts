import type { Output } from "./command.ts";

export type Cell = string | number | boolean | null | undefined;
export type Column<Row> = readonly [title: string, cell: (row: Row) => Cell];

/** A table of these columns for people. */
export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) {
    return "Nothing.";
  }
  const cells = rows.map((row) => columns.map(([, cell]) => shown(cell(row))));
  const widths = columns.map(([title], index) =>
    Math.max(title.length, ...cells.map((line) => (line[index] ?? "").length)),
  );
  const toLine = (line: readonly string[]): string =>
    line
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
  return [columns.map(([title]) => title), ...cells].map(toLine).join("\n");
}

/** A whole list: as JSON its rows. */
export const listed = <Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): Output => ({
  json: rows,
  text: tableOf(rows, columns),
});

const cellLengthMax = 60;

function shown(value: Cell): string {
  const line = inOneLine(value === null || value === undefined ? "-" : String(value));
  return line.length > cellLengthMax ? `${line.slice(0, cellLengthMax - 1)}…` : line;
}

const inOneLine = (text: string): string => text.replaceAll("\n", " ");

/** Names are chosen by users, and a terminal obeys control characters. */
export const forTerminal = (text: string): string => text.replaceAll(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/gu, " ");

/** JSON escapes the control characters of ASCII; a terminal may obey the others too. */
export const jsonForTerminal = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
