import type { QueryValue } from "./api.ts";
import type { Call, Option, Output } from "./command.ts";
import { Failure } from "./failure.ts";
import { type Column, tableOf } from "./show.ts";

type Cursor = string | number | null;
export type Page<Row> = { readonly rows: readonly Row[]; readonly next_cursor: Cursor };
/** Reads a page with these fields in its query. */
type ReadPage<Row> = (query: { readonly limit: number; readonly cursor: QueryValue }) => Promise<Page<Row>>;

/** The options of every command that prints a long list. */
export const pageOptions = {
  limit: { type: "string", text: "The rows of a page, by default 50.", values: ["25", "50", "100"] },
  cursor: { type: "string", text: "The cursor that the previous page printed." },
  all: { type: "boolean", text: "Print all pages." },
} as const satisfies Readonly<Record<string, Option>>;

const limitDefault = 50;
const limitMax = 100;
const rowsMax = 100_000;

/** All pages from a cursor on. @throws Failure for more rows than fit into memory */
export async function readAll<Row>(readPage: ReadPage<Row>, first: Cursor = null): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor = first;
  do {
    const page = await readPage({ limit: limitMax, cursor });
    rows.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < rowsMax);
  if (cursor !== null) {
    throw new Failure("usage", `There are more than ${rowsMax} rows. Choose fewer, or page with --cursor.`);
  }
  return rows;
}

/** A page of a list, or all of it. JSON has the rows and the cursor. @throws Failure */
export async function printPages<Row extends object>(
  { options, flags }: Pick<Call, "options" | "flags">,
  readPage: ReadPage<Row>,
  columns: readonly Column<Row>[],
): Promise<Output> {
  const { limit, cursor = null } = options;
  const page = flags.has("all")
    ? { rows: await readAll(readPage, cursor), next_cursor: null }
    : await readPage({ limit: limit === undefined ? limitDefault : Number(limit), cursor });
  const { rows, next_cursor: next } = page;
  return {
    json: { rows, next_cursor: next },
    text: tableOf(rows, columns),
    ...(next === null ? {} : { note: `There are more: --cursor ${next}, or --all` }),
  };
}
