import { sha256 } from "../crypto/digest.ts";
import { AppError } from "../errors.ts";
import type { Column, ColumnType, ListRequest } from "./model.ts";

const digestLength = 12;

/** The text form of each type as the database writes it; a cursor contains nothing else. */
const shapes: Readonly<Partial<Record<ColumnType, RegExp>>> = {
  bigint: /^-?\d{1,19}$/,
  integer: /^-?\d{1,10}$/,
  numeric: /^-?\d{1,30}(\.\d{1,20})?$/,
  timestamptz: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  boolean: /^(true|false)$/,
  text: /^[^\0]*$/,
};

/**
 * Where a page ended: the values that its last row is sorted by, as the database writes them, so that no microsecond is
 * lost. It reveals nothing that the query does not reveal, so it is checked but not signed. It is valid for one query
 * only, because with another query it would skip rows.
 */
export function writeCursor(request: ListRequest, values: readonly string[]): string {
  return Buffer.from(JSON.stringify([digestOf(request), ...values])).toString("base64url");
}

/** @throws AppError `invalid_parameter` when it is not a cursor, or belongs to another query */
export function readCursor(request: ListRequest, columns: readonly Column[], cursor: string): string[] {
  const [digest, ...values] = parse(cursor);
  const isWhole =
    digest === digestOf(request) &&
    values.length === columns.length &&
    columns.every(({ type }, index) => shapes[type]?.test(values[index] ?? "\0") === true);
  if (!isWhole) {
    throw new AppError("invalid_parameter", { fields: { cursor: "This is not a cursor of this list. Start again." } });
  }
  return values;
}

function parse(cursor: string): string[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const isList = Array.isArray(parsed) && parsed.every((each) => typeof each === "string" && each.isWellFormed());
    return isList ? (parsed as string[]) : [];
  } catch {
    return [];
  }
}

/** The digest of list, filters, sort and zone. It excludes open ranges, because they move with the clock. */
function digestOf({ list, filters, rows, sort, isDescending, range }: ListRequest): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([list, sorted, rows, sort, isDescending, range?.zone ?? null], (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return Buffer.from(sha256(text)).toString("base64url").slice(0, digestLength);
}
