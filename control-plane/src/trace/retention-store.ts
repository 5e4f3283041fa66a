import { asc, eq, isNotNull } from "drizzle-orm";
import { payloadDayCount as dayCount, payloadDayKey as dayKey } from "../db/schema/trace.ts";
import { type Queryable, rowsWritten } from "../platform/db.ts";
import { placeBytes } from "./payload-places.ts";

/** The days whose logs are dropped. */
export type DroppedLog = "payload_segment" | "payload_record" | "trace_record";

/**
 * The day this many days before today, in UTC. The database's clock decides, because a replica's clock may be wrong.
 */
export async function dayBefore(db: Queryable, days: number): Promise<string> {
  const [row] = await db.sql<{ day: string }>`
    select ((now() at time zone 'UTC')::date - ${days}::integer)::text as day`;
  if (row === undefined) {
    throw new Error("the database did not tell the day");
  }
  return row.day;
}

/**
 * Destroys the keys of all days before this one for good. Returns those days; none if their keys were already
 * destroyed.
 */
export async function destroyKeys(tx: Queryable, before: string): Promise<string[]> {
  const [row] = await tx.sql<{ days: string[] }>`
    select array(select unnest(destroy_payload_keys(${before}::text::date))::text) as days`;
  return row?.days ?? [];
}

/** The days before this one that have a partition, oldest first. */
export async function listDaysOf(db: Queryable, table: DroppedLog, before: string): Promise<string[]> {
  const rows = await db.sql<{ day: string }>`
    select day from (
      select to_char(to_date(substring(c.relname from '_y(.*)$'), 'YYYY"m"MM"d"DD'), 'YYYY-MM-DD') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::text::regclass
    ) as partition_day
    where day < ${before}::text order by day`;
  return rows.map(({ day }) => day);
}

/** Drops the partition of a day with everything in it. @throws DatabaseTimeoutError when the log is in use */
export async function dropDay(db: Queryable, table: DroppedLog, day: string): Promise<boolean> {
  const [row] = await db.sql<{ dropped: boolean }>`
    select drop_day_partition(${table}, ${day}::text::date) as dropped`;
  return row?.dropped === true;
}

/**
 * Counts the payloads of days whose count can still change, or that were never counted; forgets those of destroyed
 * days.
 */
export async function countPayloads(tx: Queryable): Promise<number> {
  await tx.sql`
    delete from payload_day_count c
    where not exists (select 1 from payload_day_key d where d.day = c.day and d.wrapped is not null)`;
  const counted = await tx.sql`
    insert into payload_day_count (day, payloads, counted_at)
    select d.day, (select count(*) from payload_record r where r.day = d.day)
      + (select coalesce(sum(octet_length(s.places)), 0) / ${placeBytes}::integer from payload_segment s
        where s.day = d.day and s.groups is not null), now()
    from payload_day_key d
    where d.wrapped is not null and d.day <= (now() at time zone 'UTC')::date and not exists (
      select 1 from payload_day_count c
      where c.day = d.day and c.counted_at > (d.day + 2)::timestamp at time zone 'UTC')
    on conflict (day) do update set payloads = excluded.payloads, counted_at = excluded.counted_at`;
  return rowsWritten(counted);
}

export type DayCount = { readonly day: string; readonly payloads: bigint; readonly countedAt: Date };

/** Payloads by day, as last counted, without days whose key is gone. */
export async function listDayCounts(db: Queryable): Promise<DayCount[]> {
  return await db.drizzle
    .select({ day: dayCount.day, payloads: dayCount.payloads, countedAt: dayCount.countedAt })
    .from(dayCount)
    .innerJoin(dayKey, eq(dayKey.day, dayCount.day))
    .where(isNotNull(dayKey.wrapped))
    .orderBy(asc(dayCount.day));
}
