import type { Queryable } from "@sluice/control-plane/platform/db.ts";

const timesOf: Readonly<Record<string, readonly string[]>> = {
  usage_rollup: ["starts_at", "first_at", "last_at"],
  usage_user_sum: ["starts_at"],
};

/** Writes the sums of these days once more, as those of as many days `span` times as long ago. */
export async function repeatSums(db: Queryable, days: readonly string[], span: number): Promise<void> {
  const [first, last] = [days[0] ?? "", days.at(-1) ?? ""];
  const ago = `interval ''${days.length * span} days''`;
  for (const [table, times] of Object.entries(timesOf)) {
    const [columns] = await db.query<{ names: string; values: string }>(
      `select string_agg(attname, ', ' order by attnum) as names,
         string_agg(case when attname = any ($2::text[]) then attname || ' - ${ago}' else attname end, ', ' order by attnum) as values
       from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`,
      [table, `{${times.join(",")}}`],
    );
    await db.query(
      `insert into ${table} (${columns?.names}) select ${columns?.values} from ${table}
       where starts_at >= $1::text::timestamptz and starts_at < $2::text::timestamptz + interval '1 day'`,
      [`${first}T00:00:00Z`, `${last}T00:00:00Z`],
    );
  }
  await db.query(`update usage_user set first_at = first_at - interval '${days.length} days'`, []);
}
