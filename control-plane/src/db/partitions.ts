import type { Queryable } from "../platform/db.ts";

/** The logs with one partition for each UTC day. */
export type PartitionedTable = "usage_log" | "trace_record" | "payload_segment" | "payload_record" | "usage_settlement";

export type PartitionSpan = {
  readonly table: PartitionedTable;
  /** The UTC day as YYYY-MM-DD. */
  readonly today: string;
  /**
   * The number of days after today for which partitions are created. The default is 7, so that the job that calls this
   * may be broken for a week.
   */
  readonly daysAhead?: number;
};

const daysAheadDefault = 7;

/**
 * Creates the missing partitions from yesterday (calls that began before midnight) to `daysAhead` days after today.
 * Safe to repeat, and to call from many replicas at once.
 * @returns the names of the partitions that were created
 */
export async function ensurePartitions(db: Queryable, span: PartitionSpan): Promise<string[]> {
  const days = (span.daysAhead ?? daysAheadDefault) + 2;
  const [row] = await db.sql<{ made: string[] }>`
    select ensure_day_partitions(${span.table}, ${span.today}::text::date - 1, ${days}) as made`;
  return row?.made ?? [];
}

/**
 * Creates the partitions of single days: for a writer whose rows were refused because their day has none
 * (`isMissingPartition`), for example after a spool was replayed weeks later. The rows are then written again.
 * @throws SQL.PostgresError with state 22008 for a day more than 400 days ago or 100 ahead
 */
export async function createMissingPartitions(
  db: Queryable,
  table: PartitionedTable,
  days: Iterable<string>,
): Promise<string[]> {
  const made: string[] = [];
  for (const day of new Set(days)) {
    const [row] = await db.sql<{ made: string[] }>`
      select ensure_day_partitions(${table}, ${day}::text::date, 1) as made`;
    made.push(...(row?.made ?? []));
  }
  return made;
}

/** The tables of calls, which are partitioned by day. Only earlier releases write to `payload_record`. */
export const callTables: readonly PartitionedTable[] = [
  "usage_log",
  "trace_record",
  "payload_segment",
  "usage_settlement",
];

/** Creates missing partitions of these tables for these days (YYYY-MM-DD). */
export async function createPartitions(db: Queryable, days: Iterable<string>): Promise<void> {
  for (const table of callTables) {
    await createMissingPartitions(db, table, days);
  }
}

/** The partitions of a day into which its calls can be copied. */
export type CallPartitions = { readonly day: string; readonly usageLog: string; readonly traceRecord: string };

/**
 * The partitions of a day, if this role may copy rows straight into them and these count as spent like rows of the log; else
 * null. That is not so for a partition that an earlier release has made.
 */
export async function findCallPartitions(db: Queryable, day: string): Promise<CallPartitions | null> {
  const rows = await db.sql<{ log: string; name: string }>`
    select l.relname::text as log, c.relname::text as name
    from pg_class l join pg_inherits i on i.inhparent = l.oid join pg_class c on c.oid = i.inhrelid
    where l.oid in ('public.usage_log'::regclass, 'public.trace_record'::regclass)
      and c.relname = l.relname || to_char(${day}::text::date, '"_y"YYYY"m"MM"d"DD')
      and has_table_privilege(c.oid, 'INSERT')
      and (l.relname = 'trace_record' or exists (
        select 1 from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'usage_log_spend' and t.tgenabled <> 'D'))`;
  const { usage_log: usageLog, trace_record: traceRecord } = Object.fromEntries(
    rows.map(({ log, name }) => [log, name]),
  );
  return usageLog === undefined || traceRecord === undefined ? null : { day, usageLog, traceRecord };
}
