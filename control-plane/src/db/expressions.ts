import { type AnyColumn, eq, type GetColumnData, type SQL, sql } from "drizzle-orm";
import { arrayLiteral } from "../platform/db-array-literal.ts";

/**
 * Expressions that the query builder lacks. They refer to columns as objects, so that a renamed column is a compile
 * error, and pass values as parameters.
 */

/** The time at which the transaction began, by the clock of the database. */
export const now = sql<Date>`now()`;

/** The current time, which is later than `now` in a transaction that has waited. */
export const clock = sql<Date>`clock_timestamp()`;

/** Today in UTC, by the clock of the database. */
export const today = sql<Date>`(now() at time zone 'utc')::date`;

const units = { seconds: sql`secs`, minutes: sql`mins`, hours: sql`hours`, days: sql`days` };

export type TimeUnit = keyof typeof units;

export const fromNow = (count: number, unit: TimeUnit): SQL<Date> =>
  sql`now() + make_interval(${units[unit]} => ${count}::int)`;

export const ago = (count: number, unit: TimeUnit): SQL<Date> =>
  sql`now() - make_interval(${units[unit]} => ${count}::int)`;

/** Compares without regard to case; an index on `lower(column)` serves this. */
export const equalsInAnyCase = (column: AnyColumn, text: string): SQL<boolean> =>
  sql`lower(${column}) = lower(${text})`;

/**
 * Compares with a constant that becomes part of the text of the statement: the planner does not match a parameter with
 * a partial index.
 */
export const equalsConstant = <Column extends AnyColumn>(column: Column, value: GetColumnData<Column, "raw">): SQL =>
  eq(column, value).inlineParams();

export const isSet = (column: AnyColumn): SQL<boolean> => sql`${column} is not null`;

export const plus = (column: AnyColumn, amount: bigint): SQL => sql`${column} + ${amount}::bigint`;

export const plusOne = (column: AnyColumn): SQL => sql`${column} + 1`;

/** Passes all ids as one parameter, so that a single statement is prepared for any number of them. */
export const isAnyOf = (column: AnyColumn, ids: readonly bigint[]): SQL<boolean> =>
  sql`${column} = any (${arrayLiteral(ids)}::bigint[])`;

/** The value of the row that an `on conflict` clause refused. */
export const excluded = (column: AnyColumn): SQL => sql`excluded.${sql.identifier(column.name)}`;

/** The value as `jsonb`. Unlike in a `json` column, null is the null of JSON and not that of SQL. */
export const toJsonb = (value: unknown): SQL => sql`${JSON.stringify(value)}::text::jsonb`;

export const countOfRows = sql<number>`count(*)::integer`;

/** The count of a unit in a row `u` of the usage log, where null is none. */
export const countOfCall = (count: string): string => `coalesce(u.${count}, 0)`;

/**
 * The minute or so in which a call began, as the beginning of its id: all ids of 65.5 seconds share it. Indexes of the
 * logs of calls end in it where they can, because equal entries are stored once with all their rows; in the order of time
 * it precedes the id and changes nothing.
 */
export const callMinute = (requestId: string): string => `left(${requestId}::text, 8) collate "C"`;
