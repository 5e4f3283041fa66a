import { dayMs, utcDay } from "../clock.ts";
import type { Database, Queryable, SqlValue } from "../db.ts";
import { DatabaseTimeoutError, sqlStateOf } from "../db-errors.ts";
import { AppError } from "../errors.ts";
import type { AnyListSource, Bind, Column, ListRequest, TimeRange } from "./model.ts";

export type Statement = { readonly text: string; readonly values: readonly SqlValue[] };

/** The alias under which the values of the sort are returned; no column of a contract has this name. */
const cursorName = "#";
const dataException = /^22/;

export type Row = Record<string, unknown>;

export type PageRequest = {
  /** The sort values of the preceding row; null for the beginning. */
  readonly after: readonly string[] | null;
  readonly limit: number;
};

/** The columns that a request is sorted by. */
export function sortColumns(source: AnyListSource, request: ListRequest): readonly Column[] {
  const columns = source.sortedFor?.(request.sort, request.filters) ?? source.sorts[request.sort];
  if (columns === undefined) {
    throw new Error(`${source.contract.name} has no sort ${request.sort}`);
  }
  return columns;
}

/** The statement for some rows of a list, in order; exported for inspecting its plan. */
export function pageStatement(source: AnyListSource, request: ListRequest, page: PageRequest): Statement {
  const values: SqlValue[] = [];
  const bind = binder(values);
  const keys = sortColumns(source, request);
  const conditions = conditionsOf(source, request, bind);
  const limit = bind(page.limit, "integer");
  const direction = request.isDescending ? "desc" : "asc";
  const orderBy = (columns: readonly string[]): string =>
    `order by ${columns.map((sql) => `${sql} ${direction}`).join(", ")}`;
  const shown = Object.entries(source.columns).map(([name, { sql }]) => `${sql} as "${name}"`);
  const sorted = `array[${keys.map(({ sql }) => `(${sql})::text`).join(", ")}] as "${cursorName}"`;
  const order = orderBy(keys.map(({ sql }) => sql));
  const select = (columns: readonly string[], where: readonly string[]): string =>
    `select ${columns.join(", ")} from ${source.from} ${whereOf(where)} ${order} limit ${limit}`;
  const [first = [], second] =
    page.after === null
      ? [[]]
      : rowsAfter(source, { keys, after: page.after, isDescending: request.isDescending }, bind);
  if (second === undefined) {
    return { text: select([...shown, sorted], [...conditions, ...first]), values };
  }
  const keyed = keys.map(({ sql }, index) => `${sql} as "${keyName(index)}"`);
  const parts = [first, second].map((each) => `(${select([...shown, sorted, ...keyed], [...conditions, ...each])})`);
  const names = [...Object.keys(source.columns), cursorName].map((name) => `"${name}"`);
  const outer = orderBy(keys.map((_, index) => `"${keyName(index)}"`));
  return { text: `select ${names.join(", ")} from (${parts.join(" union all ")}) p ${outer} limit ${limit}`, values };
}

const keyName = (index: number): string => `${cursorName}${index}`;

/**
 * The statement that counts rows, up to one more than a limit. Whole days of a partitioned table can be counted without
 * each row's time, and so in an index alone.
 */
export function countStatement(source: AnyListSource, request: ListRequest, countMax: number): Statement {
  const values: SqlValue[] = [];
  const bind = binder(values);
  const limit = bind(countMax + 1, "integer");
  const chosen = filterConditions(source, request, bind);
  const parts = countedTimes(source, request.range, bind).map(
    (times) => `(select 1 from ${source.countedFrom ?? source.from} ${whereOf([...chosen, ...times])} limit ${limit})`,
  );
  const text = `select count(*)::int as rows from (select 1 from (${parts.join(" union all ")}) p limit ${limit}) t`;
  return { text, values };
}

/**
 * Some rows of a list, each with its sort values.
 * @throws AppError `too_broad` when the database does not finish in time
 */
export async function selectPage(
  db: Database,
  source: AnyListSource,
  request: ListRequest,
  page: PageRequest,
): Promise<{ readonly rows: readonly Row[]; readonly cursors: readonly (readonly string[])[] }> {
  const statement = pageStatement(source, request, page);
  const found = await run<Row & { readonly [cursorName]: string[] }>(db, statement);
  return {
    rows: found.map(({ [cursorName]: _, ...row }) => row),
    cursors: found.map(({ [cursorName]: values }) => values),
  };
}

/**
 * How many rows there are, counted up to `countMax` plus one; null when that takes longer than `msMax`.
 * @throws AppError `invalid_parameter` for a value that the database refuses
 */
export async function countRows(
  db: Database,
  { source, request }: { readonly source: AnyListSource; readonly request: ListRequest },
  countMax: number,
  msMax: number,
): Promise<number | null> {
  const { text, values } = countStatement(source, request, countMax);
  const count = (tx: Queryable): Promise<{ rows: number }[]> => tx.query<{ rows: number }>(text, values);
  try {
    const [row] = await db.withTransaction(count, { statementTimeoutMs: msMax, isPageRead: true });
    return row?.rows ?? 0;
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      return null;
    }
    throw understood(error);
  }
}

async function run<Found>(db: Database, { text, values }: Statement): Promise<Found[]> {
  try {
    return await db.withTransaction((tx) => tx.query<Found>(text, values), { isPageRead: true });
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      throw new AppError("too_broad", { cause: error });
    }
    throw understood(error);
  }
}

/** The schema may accept values that the database refuses: a number beyond its type, for example. */
function understood(error: unknown): unknown {
  return dataException.test(sqlStateOf(error) ?? "") ? new AppError("invalid_parameter", { cause: error }) : error;
}

function binder(values: SqlValue[]): Bind {
  return (value, type) => {
    values.push(value);
    return `$${values.length}::${type}`;
  };
}

function conditionsOf(source: AnyListSource, request: ListRequest, bind: Bind): string[] {
  const { range } = request;
  const conditions = filterConditions(source, request, bind);
  return range === null ? conditions : [...conditions, ...timeConditions(source, range, bind)];
}

function filterConditions(source: AnyListSource, { filters, rows }: ListRequest, bind: Bind): string[] {
  const conditions = source.where === undefined ? [] : [source.where];
  if (rows !== null) {
    conditions.push(areNamed(source, rows, bind));
  }
  for (const [name, value] of Object.entries(filters)) {
    const condition = source.filters[name];
    if (condition === undefined) {
      throw new Error(`${source.contract.name} has no filter ${name}`);
    }
    conditions.push(condition(value, bind));
  }
  return conditions;
}

function areNamed({ contract, columns }: AnyListSource, rows: readonly string[], bind: Bind): string {
  const id = contract.rowId === null ? undefined : columns[contract.rowId];
  if (id === undefined) {
    throw new Error(`${contract.name} has no ids of rows`);
  }
  return `${id.sql} in (${rows.map((row) => bind(row, id.type)).join(", ")})`;
}

/** The conditions that together make up the range: whole days, and the partial ones at its ends. */
function countedTimes(source: AnyListSource, range: TimeRange | null, bind: Bind): string[][] {
  const day = source.time?.partitionDay;
  if (range === null || day === undefined) {
    return [range === null ? [] : timeConditions(source, range, bind)];
  }
  const { from, to } = range;
  const first = from === null ? null : bind(utcDayOf(from, 0), "date");
  // The first moment after the range is not part of it.
  const last = to === null ? null : bind(utcDayOf(new Date(to.getTime() - 1), 0), "date");
  const edges = [first, last].filter((each) => each !== null);
  const whole = [...(first === null ? [] : [`${day} > ${first}`]), ...(last === null ? [] : [`${day} < ${last}`])];
  return edges.length === 0
    ? [whole]
    : [whole, [`${day} in (${edges.join(", ")})`, ...timeConditions(source, range, bind)]];
}

function timeConditions({ time }: AnyListSource, { from, to }: TimeRange, bind: Bind): string[] {
  if (time === null) {
    return [];
  }
  const { at, partitionDay } = time;
  const conditions: string[] = [];
  // The day of a row is the day on which its call began, by a clock that may be slightly off.
  if (from !== null) {
    conditions.push(`${at.sql} >= ${bind(from.toISOString(), "timestamptz")}`);
    if (partitionDay !== undefined) {
      conditions.push(`${partitionDay} >= ${bind(utcDayOf(from, -1), "date")}`);
    }
  }
  if (to !== null) {
    conditions.push(`${at.sql} < ${bind(to.toISOString(), "timestamptz")}`);
    if (partitionDay !== undefined) {
      conditions.push(`${partitionDay} <= ${bind(utcDayOf(to, 1), "date")}`);
    }
  }
  return conditions;
}

type Cursor = { readonly keys: readonly Column[]; readonly after: readonly string[]; readonly isDescending: boolean };

/**
 * Rows after another in the order of the list, as the conditions of consecutive parts. The planner turns a row
 * comparison into a position in the index. If a partition is a day, the rest of that row's day and the later days are
 * queried separately: with one comparison for both, the planner assumes that hardly any row of that day is left, and
 * then reads all of it.
 */
function rowsAfter({ time }: AnyListSource, { keys, after, isDescending }: Cursor, bind: Bind): string[][] {
  const values = keys.map(({ type }, index) => bind(after[index] ?? "", type));
  const operator = isDescending ? "<" : ">";
  const compare = (from: number): string =>
    `(${keys
      .slice(from)
      .map(({ sql }) => sql)
      .join(", ")}) ${operator} (${values.slice(from).join(", ")})`;
  const [first] = keys;
  if (time?.partitionDay === undefined || first?.sql !== time.partitionDay || keys.length < 2) {
    return [[compare(0)]];
  }
  return [[`${first.sql} = ${values[0]}`, compare(1)], [`${first.sql} ${operator} ${values[0]}`]];
}

function utcDayOf(at: Date, daysMore: number): string {
  return utcDay(at.getTime() + daysMore * dayMs);
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `where ${conditions.map((each) => `(${each})`).join(" and ")}`;
}
