import type { SQL } from "bun";
import type { Migration } from "./migration-files.ts";

/** The last of the migrations that became the baseline of the first release. */
const lastBefore = {
  createdAt: 1_795_399_257_654n,
  hash: "ddfd5586ad9ae3a69688b02cd4785e05a28d25b536306ba0a5fa303c0886952b",
};

/**
 * A developer's database from before the first release, with all migrations of that time applied, already has the
 * schema of the baseline, so the row of the baseline replaces their rows.
 * @returns whether that was done
 * @throws Error when the database is from before the first release and lacks some of them
 */
export async function adoptFirstRelease(
  connection: SQL,
  [baseline]: readonly Migration[],
  applied: ReadonlyMap<bigint, string>,
): Promise<boolean> {
  if (baseline === undefined || applied.size === 0 || [...applied.keys()].some((at) => at >= baseline.createdAt)) {
    return false;
  }
  if (applied.get(lastBefore.createdAt) !== lastBefore.hash) {
    throw new Error(
      "this database is from before the first release and lacks some of its migrations; start the last program from before " +
        "0.1.0 on it once, which applies them, or begin with an empty database (the embedded one is in .data)",
    );
  }
  await connection`begin`;
  await connection`delete from drizzle.__drizzle_migrations`;
  // The functions that those migrations created are replaced by the functions of the files, or dropped.
  await connection`
    insert into drizzle.function_set (id, hash, release, signatures)
    select 1, '', '0.0.0', jsonb_agg(p.oid::regprocedure::text) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')`;
  await connection`insert into drizzle.__drizzle_migrations (hash, created_at)
    values (${baseline.hash}, ${baseline.createdAt})`;
  await connection`commit`;
  return true;
}
