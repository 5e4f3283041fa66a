import type { Queryable } from "../../platform/db.ts";
import type { RollupFault, RollupStep } from "./model.ts";

/** The sums that follow the settlement: those of reports, those of each user, those by label of earlier batches, and how calls went. */
export type FollowingSums = "reports" | "users" | "labels" | "performance";

type StepRow = { outcome: RollupStep["outcome"]; rows_added: bigint };

/** Adds the next batches of a shard of the settlement to the sums, in one statement. */
export async function addNextBatches(
  db: Queryable,
  sums: FollowingSums,
  { shard, rowsMax }: { readonly shard: number; readonly rowsMax: number },
): Promise<RollupStep> {
  const [row] = await addTo(db, sums, { shard, rowsMax });
  if (row === undefined) {
    throw new Error("adding to the usage sums returned no row");
  }
  return { outcome: row.outcome, rowsAdded: row.rows_added };
}

function addTo(
  db: Queryable,
  sums: FollowingSums,
  { shard, rowsMax }: { readonly shard: number; readonly rowsMax: number },
): Promise<StepRow[]> {
  switch (sums) {
    case "reports":
      return db.sql<StepRow>`select outcome, rows_added from roll_usage_up(${rowsMax}::integer, ${shard}::integer)`;
    case "users":
      return db.sql<StepRow>`select outcome, rows_added from add_user_sums(${shard}::integer, ${rowsMax}::integer)`;
    case "labels":
      return db.sql<StepRow>`select outcome, rows_added from add_label_sums(${shard}::integer, ${rowsMax}::integer)`;
    case "performance":
      return db.sql<StepRow>`select outcome, rows_added from add_performance(${shard}::integer, ${rowsMax}::integer)`;
  }
}

/** The UTC days with rows in the log, oldest first. */
export async function listLoggedDays(db: Queryable): Promise<string[]> {
  const rows = await db.sql<{ day: string }>`
    with recursive logged as (
      (select day from usage_log order by day limit 1)
      union all
      select (select u.day from usage_log u where u.day > logged.day order by u.day limit 1) from logged
      where logged.day is not null
    )
    select day::text as day from logged where day is not null order by day`;
  return rows.map(({ day }) => day);
}

/** Recomputes a day. Returns how many sums it has. */
export async function rebuildDay(db: Queryable, day: string): Promise<bigint> {
  const [row] = await db.sql<{ sums: bigint }>`select rebuild_usage_day(${day}::date) as sums`;
  return row?.sums ?? 0n;
}

export async function checkDay(db: Queryable, day: string): Promise<RollupFault[]> {
  return await db.sql<RollupFault>`
    select slice, starts_at, subject, detail from check_usage_day(${day}::date)
    order by slice, starts_at, subject limit 100`;
}
