/** One element of a Postgres array; bytes become `bytea`, a Date becomes `timestamptz`. */
export type ArrayElement = string | bigint | number | boolean | null | Uint8Array | Date;

const needsEscape = /["\\\0]/;
/**
 * Matches text without control characters and unpaired surrogates: JSON escapes such a text exactly as Postgres reads
 * it.
 */
const isAsInJson = /^[ -\ud7ff\ue000-\uffff]*$/;

/**
 * The text form of a one-dimensional Postgres array, for one string parameter that carries a whole column: `insert into
 * t select * from unnest(${arrayLiteral(ids)}::bigint[], ${arrayLiteral(names)}::text[])`. Of all forms that allow ON
 * CONFLICT, it costs the least CPU per row. All elements are of one type, which the cast names. U+0000, which Postgres
 * text can't hold, becomes U+FFFD: one odd character must not fail a batch of 500 rows.
 * @throws RangeError for a number that is not finite, or an invalid Date
 */
export function arrayLiteral(values: readonly ArrayElement[]): string {
  let literal = "{";
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) {
      literal += ",";
    }
    literal += elementText(values[index] ?? null);
  }
  return `${literal}}`;
}

function elementText(value: ArrayElement): string {
  switch (typeof value) {
    case "string":
      return needsEscape.test(value) ? quoteText(value) : `"${value}"`;
    case "bigint":
      return value.toString();
    case "number":
      if (!Number.isFinite(value)) {
        throw new RangeError(`not a finite number: ${value}`);
      }
      return value.toString();
    case "boolean":
      return value ? "t" : "f";
    default:
      return value === null ? "NULL" : objectText(value);
  }
}

function objectText(value: Uint8Array | Date): string {
  return value instanceof Date ? `"${value.toISOString()}"` : `"\\\\x${value.toHex()}"`;
}

function quoteText(value: string): string {
  if (isAsInJson.test(value)) {
    // This takes a third of the time of the code below; texts with quotes are mostly JSON.
    return JSON.stringify(value);
  }
  return `"${value.replaceAll("\0", "\uFFFD").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/**
 * `($1,$2),($3,$4)`: the placeholders of an insert of many rows, for rows with large `bytea` values. A Buffer is sent
 * as it is, at half the CPU of the hex that an array literal needs. Use few different row counts.
 */
export function placeholders(rows: number, columns: number): string {
  const row = (index: number) =>
    `(${Array.from({ length: columns }, (_, column) => `$${index * columns + column + 1}`).join(",")})`;
  return Array.from({ length: rows }, (_, index) => row(index)).join(",");
}
