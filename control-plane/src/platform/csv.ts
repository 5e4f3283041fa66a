/** What begins a formula, in the signs of other widths as well. */
const sign = "[=+\\-@\\u2212\\uFE62\\uFE63\\uFE66\\uFE6B\\uFF0B\\uFF0D\\uFF1D\\uFF20]";
/** What may come before it unseen. */
const unseen = "[\\s\\p{C}\\p{Default_Ignorable_Code_Point}]";

/**
 * Where a spreadsheet would take what follows for a formula: at the beginning, and after separators of cells other
 * than a comma (quotes in the middle of such a cell mean nothing).
 */
const formulaStart = new RegExp(`^(?=[\\t\\r]|${unseen}*${sign})|(?<=[;\\t])(?=(?:(?!\\t)${unseen})*${sign})`, "gu");

/** A text as a cell of a CSV file: never a formula, quoted by RFC 4180. Numbers of ours need not go through it. */
export function csvText(text: string): string {
  const inert = text.replace(formulaStart, "'");
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
