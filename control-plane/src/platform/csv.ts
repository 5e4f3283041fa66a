/** What a spreadsheet would take for a formula, in the letters of East Asian input methods as well. */
const formulaStart = /^[\s\0]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A text as a cell of a CSV file: never a formula, quoted by RFC 4180. Numbers of ours need not go through it. */
export function csvText(text: string): string {
  const inert = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
