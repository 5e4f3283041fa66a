/** The characters that begin a formula, including full-width characters. */
const sign = "[=+\\-@\\u2212\\uFE62\\uFE63\\uFE66\\uFE6B\\uFF0B\\uFF0D\\uFF1D\\uFF20]";
/** Invisible characters that may precede such a character. */
const unseen = "[\\s\\p{C}\\p{Default_Ignorable_Code_Point}]";

/**
 * Matches places where a spreadsheet would take the following text for a formula: at the beginning, and after cell
 * separators other than a comma (quotes in the middle of such a cell mean nothing).
 */
const formulaStart = new RegExp(`^(?=[\\t\\r]|${unseen}*${sign})|(?<=[;\\t])(?=(?:(?!\\t)${unseen})*${sign})`, "gu");

/** A text as a cell: never a formula, quoted by RFC 4180. */
export function csvText(text: string): string {
  const inert = text.replace(formulaStart, "'");
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Formats rows as lines of a CSV file, including line endings. */
export type CsvWriter = {
  readonly head: string;
  readonly line: (row: Readonly<Record<string, unknown>>) => string;
};

/**
 * @param names the columns, in order
 * @param isNumber whether the column's text is one of our own decimals, which stays a number; all other text may come
 * from a stranger
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

/** Encodes a bigint for JSON: as a number where that is exact, else as a string of digits. */
export function writeBigInt(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") {
    return value;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** The headers of a CSV response. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
}
