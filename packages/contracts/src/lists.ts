import { z } from "zod";
import { byLength } from "./by-length.ts";
import { recordId } from "./keys.ts";
import { namedRowsMax } from "./list-limits.ts";
import { day } from "./moments.ts";
import { strictObject } from "./strict-object.ts";
import { zone } from "./usage.ts";
import { wireDay } from "./wire.ts";

/** How many rows a page can have. */
export const pageSizes = [25, 50, 100] as const;

/** Rows are counted up to this number; if there are more, the list says so. */
export const countedMax = 10_000;

/** The most rows in one export. */
export const exportRowsMax = 1_000_000;

const choicesMax = 20;
const rowIdLengthMax = 200;
const cursorLengthMax = 800;
const pageSizeTexts = ["25", "50", "100"] as const;

/** One or several values, joined by commas. */
export const choiceOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(values)).min(1).max(choicesMax));

/** A filter for exactly this text. */
export const exactText = byLength((lengthMax) => z.string().trim().min(1).max(lengthMax));

export const flagText = z.enum(["true", "false"]).transform((text) => text === "true");

/** Archived rows are left out unless they are asked for. */
export const archivedText = flagText.default(false);

export { recordId as idText };

/** The id of a row of some list, as text. */
export const rowIdText = z.string().min(1).max(rowIdLengthMax);

/** Rows by their ids, joined by commas; no other filter applies. */
const namedRows = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(rowIdText).min(1).max(namedRowsMax, `Name at most ${namedRowsMax} rows.`));

/*
 * What the schemas of all lists have in common is one schema: each takes about 26 objects, which a process
 * keeps until it ends.
 */
const chosenRows = { rows: namedRows.optional() };
const chosenTime = { from_day: day.optional(), to_day: day.optional(), zone: zone.default("UTC") };
const pageFields = {
  cursor: z.string().min(1).max(cursorLengthMax).optional(),
  limit: z.enum(pageSizeTexts, "Choose 25, 50 or 100 rows per page.").default("25").transform(Number),
};
const exportFields = { format: z.enum(["csv", "json"]).default("csv") };
const besideRows = {
  next_cursor: z.string().nullable(),
  total: strictObject(() => ({ count: z.int(), is_exact: z.boolean() })).nullable(),
  range: strictObject(() => ({
    from_day: wireDay.nullable(),
    to_day: wireDay.nullable(),
    zone: z.string(),
  })).nullable(),
};

type Filters = Readonly<Record<string, z.ZodType>>;
type SortOf<Sort extends string> = Sort | `-${Sort}`;

/** The declaration of a list: its filters and its rows. Pages and programs share it. */
export type ListContract<Row extends z.ZodRawShape, Filter extends Filters, Sort extends string> = {
  /** The list's name in file names and the audit log. */
  readonly name: string;
  /** A row in responses. */
  readonly row: z.ZodObject<Row>;
  /** The field that says which row it is, by which rows can be asked for; null if no single field does. */
  readonly rowId: string | null;
  readonly filters: Filter;
  /** The sorts are ascending; a leading `-` makes them descending. */
  readonly sorts: readonly Sort[];
  readonly defaultSort: SortOf<Sort>;
  /** Whether `from_day`, `to_day` and `zone` filter rows by their time. */
  readonly isTimed: boolean;
  /** The query of a page. */
  readonly input: z.ZodObject;
  /** The query of an export. */
  readonly exportInput: z.ZodObject;
  /** A `ListResponse` in its JSON form. */
  readonly output: z.ZodObject;
};

/** The common part of every list. */
export type AnyListContract = ListContract<z.ZodRawShape, Filters, string>;

/** The fields of a page, beside `ok`. */
export type ListResponse<Row> = {
  readonly rows: readonly Row[];
  /** The cursor for the next page; null at the end. */
  readonly next_cursor: string | null;
  /** The number of rows, on the first page; null on later pages, and when counting takes too long. */
  readonly total: { readonly count: number; readonly is_exact: boolean } | null;
  /** The effective days, both included, and their time zone; null for a list without a time. */
  readonly range: { readonly from_day: string | null; readonly to_day: string | null; readonly zone: string } | null;
};

/** Declares a list. Filters are query parameters, each optional; a repeated value counts once. */
export function listContract<Row extends z.ZodRawShape, Filter extends Filters, const Sort extends string>(of: {
  readonly name: string;
  readonly row: z.ZodObject<Row>;
  readonly rowId: (keyof Row & string) | null;
  readonly filters: Filter;
  readonly sorts: readonly [Sort, ...Sort[]];
  readonly defaultSort: SortOf<Sort>;
  readonly isTimed?: boolean;
}): ListContract<Row, Filter, Sort> {
  const isTimed = of.isTimed ?? true;
  const sorts = of.sorts.flatMap((sort): string[] => [sort, `-${sort}`]);
  const choose = () => ({
    ...Object.fromEntries(Object.entries(of.filters).map(([name, schema]) => [name, schema.optional()])),
    ...(of.rowId === null ? {} : chosenRows),
    ...(isTimed ? chosenTime : {}),
    sort: z.enum(sorts).default(of.defaultSort),
  });
  return {
    ...of,
    isTimed,
    output: strictObject(() => ({ rows: z.array(of.row.meta({ title: `${of.name} row` })), ...besideRows })),
    input: strictObject(() => ({ ...choose(), ...pageFields })),
    exportInput: strictObject(() => ({ ...choose(), ...exportFields })),
  };
}

/** A row of a list in responses. */
export type RowOf<List extends { readonly row: z.ZodType }> = z.output<List["row"]>;
