import { z } from "zod";
import { recordId } from "./keys.ts";
import { day, zone } from "./usage.ts";
import { wireDay } from "./wire.ts";

/** How many rows a page can have. */
export const pageSizes = [25, 50, 100] as const;

/** Rows are counted so far; beyond it a list says that there are more than these. */
export const countedMax = 10_000;

/** What one export can hold. */
export const exportRowsMax = 1_000_000;

const choicesMax = 20;
const cursorLengthMax = 800;
const pageSizeTexts = ["25", "50", "100"] as const;

/** One value or some, joined by commas. */
export const choiceOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(values)).min(1).max(choicesMax));

/** A text that has to be the same. */
export const exactText = (lengthMax: number) => z.string().trim().min(1).max(lengthMax);

export const flagText = z.enum(["true", "false"]).transform((text) => text === "true");

export { recordId as idText };

type Filters = Readonly<Record<string, z.ZodType>>;
type SortOf<Sort extends string> = Sort | `-${Sort}`;

/** What a list can be asked for and what its rows are. Pages and programs read the same declaration. */
export type ListContract<Row extends z.ZodRawShape, Filter extends Filters, Sort extends string> = {
  /** Of files and of the audit log. */
  readonly name: string;
  /** A row as it is answered. */
  readonly row: z.ZodObject<Row>;
  readonly filters: Filter;
  /** Ascending; with a `-` before it descending. */
  readonly sorts: readonly Sort[];
  readonly defaultSort: SortOf<Sort>;
  /** Whether `from_day`, `to_day` and `zone` choose rows by their time. */
  readonly isTimed: boolean;
  /** The query of a page. */
  readonly input: z.ZodObject;
  /** The query of an export. */
  readonly exportInput: z.ZodObject;
  /** A `ListAnswer` as it is in JSON. */
  readonly output: z.ZodObject;
};

/** The common part of every list. */
export type AnyListContract = ListContract<z.ZodRawShape, Filters, string>;

/** What a page is answered with, beside `ok`. */
export type ListAnswer<Row> = {
  readonly rows: readonly Row[];
  /** For the next page; null at the end. */
  readonly next_cursor: string | null;
  /** Of the first page: how many rows there are; of later pages, and when counting takes too long, null. */
  readonly total: { readonly count: number; readonly is_exact: boolean } | null;
  /** The days that were meant, both included, and whose days they are; null for a list that knows no time. */
  readonly range: { readonly from_day: string | null; readonly to_day: string | null; readonly zone: string } | null;
};

/** Declares a list. Filters are names of the query, each optional; what is sent twice counts once. */
export function listContract<Row extends z.ZodRawShape, Filter extends Filters, const Sort extends string>(of: {
  readonly name: string;
  readonly row: z.ZodObject<Row>;
  readonly filters: Filter;
  readonly sorts: readonly [Sort, ...Sort[]];
  readonly defaultSort: SortOf<Sort>;
  readonly isTimed?: boolean;
}): ListContract<Row, Filter, Sort> {
  const isTimed = of.isTimed ?? true;
  const sorts = of.sorts.flatMap((sort): string[] => [sort, `-${sort}`]);
  const chosen = {
    ...Object.fromEntries(Object.entries(of.filters).map(([name, schema]) => [name, schema.optional()])),
    ...(isTimed ? { from_day: day.optional(), to_day: day.optional(), zone: zone.default("UTC") } : {}),
    sort: z.enum(sorts).default(of.defaultSort),
  };
  const page = {
    cursor: z.string().min(1).max(cursorLengthMax).optional(),
    limit: z.enum(pageSizeTexts, "Choose 25, 50 or 100 rows per page.").default("25").transform(Number),
  };
  return {
    ...of,
    isTimed,
    output: z.strictObject({
      rows: z.array(of.row),
      next_cursor: z.string().nullable(),
      total: z.strictObject({ count: z.int(), is_exact: z.boolean() }).nullable(),
      range: z.strictObject({ from_day: wireDay.nullable(), to_day: wireDay.nullable(), zone: z.string() }).nullable(),
    }),
    input: z.strictObject({ ...chosen, ...page }),
    exportInput: z.strictObject({ ...chosen, format: z.enum(["csv", "json"]).default("csv") }),
  };
}

/** A row of a list as it is answered. */
export type RowOf<List extends { readonly row: z.ZodType }> = z.output<List["row"]>;
