import type { Queryable } from "../../platform/db.ts";

/**
 * Erases the labels of at most `most` calls that are older than this many UTC days, and than every sum of labels: these end first.
 * @returns how many these were
 */
export async function eraseLabels(db: Queryable, days: number, most: number): Promise<number> {
  const [row] = await db.sql<{ erased: number }>`
    with old as (
      select day, request_id from usage_log
      where day < (now() at time zone 'UTC')::date - ${days}::integer and (end_user is not null or tags is not null)
        and day < coalesce((select min((starts_at at time zone 'UTC')::date) from usage_label_sum), 'infinity')
      limit ${most}::integer
    ), erased as (
      update usage_log u set end_user = null, tags = null from old
      where u.day = old.day and u.request_id = old.request_id returning 1
    )
    select count(*)::integer as erased from erased`;
  return row?.erased ?? 0;
}

/**
 * Deletes at most `most` sums of labels of these days. Those that a late call is being added to are left to the next run, so that the two
 * never wait for each other.
 * @returns how many these were
 */
export async function eraseLabelSums(db: Queryable, days: number, most: number): Promise<number> {
  const [row] = await db.sql<{ erased: number }>`
    with counts as materialized (
      select ctid from usage_label_count
      where starts_at < ((now() at time zone 'UTC')::date - ${days}::integer)::timestamp at time zone 'UTC' for update skip locked
    ), uncounted as (
      delete from usage_label_count where ctid = any (array(select ctid from counts))
    ), old as materialized (
      select ctid from usage_label_sum
      where (starts_at at time zone 'UTC')::date < (now() at time zone 'UTC')::date - ${days}::integer
      order by (starts_at at time zone 'UTC')::date limit ${most}::integer for update skip locked
    ), erased as (
      delete from usage_label_sum where ctid = any (array(select ctid from old)) returning 1
    )
    select count(*)::integer as erased from erased`;
  return row?.erased ?? 0;
}
