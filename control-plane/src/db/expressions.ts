import { type AnyColumn, eq, type GetColumnData, type SQL, sql } from "drizzle-orm";
import { arrayLiteral } from "../platform/db-array-literal.ts";

/**
 * What plain statements say that the query builder has no words for. Columns go in as columns, so that a renamed one is a
 * compile error; values travel as parameters.
 */

/** The moment at which the transaction began, by the clock of the database. */
export const now = sql<Date>`now()`;

/** This moment; later than `now` in a transaction that has waited. */
export const clock = sql<Date>`clock_timestamp()`;

/** Today in UTC, by the clock of the database. */
export const today = sql<Date>`(now() at time zone 'utc')::date`;

const units = { seconds: sql`secs`, minutes: sql`mins`, hours: sql`hours`, days: sql`days` };

export type TimeUnit = keyof typeof units;

export const fromNow = (count: number, unit: TimeUnit): SQL<Date> =>
  sql`now() + make_interval(${units[unit]} => ${count}::int)`;

export const ago = (count: number, unit: TimeUnit): SQL<Date> =>
  sql`now() - make_interval(${units[unit]} => ${count}::int)`;

/** Served by an index on `lower(column)`. */
export const equalsInAnyCase = (column: AnyColumn, text: string): SQL<boolean> =>
  sql`lower(${column}) = lower(${text})`;

/** Equality with a constant of the program in the text of the statement: a partial index is not found by a parameter. */
export const equalsConstant = <Column extends AnyColumn>(column: Column, value: GetColumnData<Column, "raw">): SQL =>
  eq(column, value).inlineParams();

export const isSet = (column: AnyColumn): SQL<boolean> => sql`${column} is not null`;

export const plus = (column: AnyColumn, amount: bigint): SQL => sql`${column} + ${amount}::bigint`;

export const plusOne = (column: AnyColumn): SQL => sql`${column} + 1`;

/** One parameter for any number of ids, and so one statement to prepare. */
export const isAnyOf = (column: AnyColumn, ids: readonly bigint[]): SQL<boolean> =>
  sql`${column} = any (${arrayLiteral(ids)}::bigint[])`;

/** The value that the refused row of an `on conflict` had. */
export const excluded = (column: AnyColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;

/** Unlike a value of a `json` column, null is the null of JSON and not that of SQL. */
export const toJsonb = (value: unknown): SQL => sql`${JSON.stringify(value)}::text::jsonb`;

export const countOfRows = sql<number>`count(*)::integer`;
