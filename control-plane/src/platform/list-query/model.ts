import type { AnyListContract, ListContract } from "@sluice/contracts/lists";
import type { z } from "zod";
import type { SqlValue } from "../db.ts";

export type ColumnType =
  | "bigint"
  | "integer"
  | "numeric"
  | "text"
  | "text[]"
  | "boolean"
  | "timestamptz"
  | "date"
  | "uuid"
  | "jsonb";

/** A column of a row: SQL that the program wrote, and its database type. */
export type Column = { readonly sql: string; readonly type: ColumnType };

/** Binds a value; returns its placeholder. */
export type Bind = (value: SqlValue, type: ColumnType) => string;

/** The SQL of a filter with a value. */
export type Condition<Value> = (value: Value, bind: Bind) => string;

/** The time that `from_day` and `to_day` filter by. */
export type TimeOf = {
  /** A `timestamptz`. */
  readonly at: Column;
  /**
   * For a table with a partition for each UTC day of that time: the column with the day. Partitions of other days are
   * not read.
   */
  readonly partitionDay?: string;
  /** The default number of days, ending today; without it there is no limit. */
  readonly daysDefault?: number;
  /** The maximum number of days. */
  readonly daysMax?: number;
  /** A filter that selects few rows by itself: with it, no default range applies. */
  readonly isOpenWith?: string;
};

/**
 * Where the rows of a list come from. All text in here is the program's own: values only come in through `Bind`.
 *
 * Each sort names columns that are never null and together unique, with an index in the same order; then a page costs
 * the same wherever it begins, and a walk through all pages sees every row once.
 */
export type ListSource<Row extends z.ZodRawShape, Filter extends Record<string, z.ZodType>, Sort extends string> = {
  readonly contract: ListContract<Row, Filter, Sort>;
  /**
   * The text after `from`: the table of the rows, with `left join` to others by their keys, even if a partner always
   * exists. The planner then skips joins that a query does not use, above all in the count.
   */
  readonly from: string;
  /**
   * The text after `from` for counting, if every filter needs only the table itself: the planner counts in an index
   * only without any join.
   */
  readonly countedFrom?: string;
  /** A condition for every row of the list. */
  readonly where?: string;
  readonly columns: { readonly [Name in keyof Row]: Column };
  readonly filters: { readonly [Name in keyof Filter]: Condition<z.output<Filter[Name]>> };
  readonly sorts: { readonly [Name in Sort]: readonly Column[] };
  /**
   * The columns that give the same order as those of the sort, if an index for these filters has it in other words; else
   * null.
   */
  readonly sortedFor?: (sort: Sort, filters: Readonly<Record<string, unknown>>) => readonly Column[] | null;
  /** Null when the contract is not timed. */
  readonly time: TimeOf | null;
};

/** The common part of every list. */
export type AnyListSource = {
  readonly contract: AnyListContract;
  readonly from: string;
  readonly countedFrom?: string;
  readonly where?: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly filters: Readonly<Record<string, Condition<unknown>>>;
  readonly sorts: Readonly<Record<string, readonly Column[]>>;
  readonly sortedFor?: (sort: string, filters: Readonly<Record<string, unknown>>) => readonly Column[] | null;
  readonly time: TimeOf | null;
};

/** Declares a list; every column and every filter of the contract must be present. */
export function listSource<
  Row extends z.ZodRawShape,
  Filter extends Record<string, z.ZodType>,
  const Sort extends string,
>(source: ListSource<Row, Filter, Sort>): AnyListSource {
  // Filters only get values that the contract's schema has parsed.
  return source as unknown as AnyListSource;
}

/** A query for a list, checked and in terms of the list. */
export type ListRequest = {
  readonly list: string;
  /** Name and value of each filter that was set. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** The ids of the rows, if the query names them; then there are no filters. */
  readonly rows: readonly string[] | null;
  readonly sort: string;
  readonly isDescending: boolean;
  readonly range: TimeRange | null;
};

/** Days in a time zone, and the moments at which they begin and end. Null means no limit. */
export type TimeRange = {
  readonly fromDay: string | null;
  readonly toDay: string | null;
  readonly zone: string;
  /** The first moment of the range. */
  readonly from: Date | null;
  /** The first moment after the range. */
  readonly to: Date | null;
};

export const column = (type: ColumnType, sql: string): Column => ({ sql, type });

/** The column equals the value. */
export const equals =
  (type: ColumnType, sql: string): Condition<SqlValue> =>
  (value, bind) =>
    `${sql} = ${bind(value, type)}`;

/**
 * The column has one of these values. A single value is compared with `=`, because only that uses an index in the order
 * of the list.
 */
export const isOneOf =
  (sql: string): Condition<readonly string[]> =>
  (values, bind) =>
    values.length === 1
      ? `${sql} = ${bind(values[0] ?? "", "text")}`
      : `${sql} in (${values.map((value) => bind(value, "text")).join(", ")})`;

/** The column starts with the value, case-insensitively; the index is on `lower(...) text_pattern_ops`. */
export const startsWith =
  (sql: string): Condition<string> =>
  (value, bind) =>
    `lower(${sql}) like ${bind(`${value.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`, "text")}`;

/** Uses the first condition for `true`, the second for `false`. */
export const either =
  (whenTrue: string, whenFalse: string): Condition<boolean> =>
  (value) =>
    value ? whenTrue : whenFalse;
