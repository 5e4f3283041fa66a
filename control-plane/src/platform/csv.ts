/** What begins a formula, in the signs of other widths as well. */
const sign = "[=+\\-@\\u2212\\uFE62\\uFE63\\uFE66\\uFE6B\\uFF0B\\uFF0D\\uFF1D\\uFF20]";
/** What may come before it unseen. */
const unseen = "[\\s\\p{C}\\p{Default_Ignorable_Code_Point}]";

/**
 * Where a spreadsheet would take what follows for a formula: at the beginning, and after separators of cells other
 * than a comma (quotes in the middle of such a cell mean nothing).
 */
const formulaStart = new RegExp(`^(?=[\\t\\r]|${unseen}*${sign})|(?<=[;\\t])(?=(?:(?!\\t)${unseen})*${sign})`, "gu");

/** A text as a cell: never a formula, quoted by RFC 4180. */
export function csvText(text: string): string {
  const inert = text.replace(formulaStart, "'");
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** How rows become the lines of a CSV file, each with its end. */
export type CsvWriter = {
  readonly head: string;
  readonly line: (row: Readonly<Record<string, unknown>>) => string;
};

/**
 * @param names the columns, in their order
 * @param isNumber whether text in a column is a decimal of ours, which stays a number; all other text may come from a stranger
 */
export function csvWriter(names: readonly string[], isNumber: (name: string) => boolean = () => false): CsvWriter {
  const cells = names.map((name) => ({ name, isNumber: isNumber(name) }));
  return {
    head: `${names.map(csvText).join(",")}\r\n`,
    line: (row) => `${cells.map((cell) => csvCell(row[cell.name], cell.isNumber)).join(",")}\r\n`,
  };
}

function csvCell(value: unknown, isNumber: boolean): string {
  if (value === null || value === undefined) {
    return "";
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (typeof value === "object") {
    return csvText(JSON.stringify(value, writeBigInt));
  }
  return typeof value === "string" && !isNumber ? csvText(value) : String(value);
}

/** For JSON: a number where it is exact, else its digits. */
export function writeBigInt(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") {
    return value;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** The headers of an answer that is a CSV file. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
