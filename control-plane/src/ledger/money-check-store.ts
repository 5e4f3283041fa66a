import type { Queryable } from "../platform/db.ts";
import { DatabaseTimeoutError } from "../platform/db-errors.ts";
import type { LookedAt, MoneyViolation } from "./model.ts";

/** A table with more rows than this is not counted; the planner's estimate is shown instead. */
const exactRowsMax = 1_000_000;

/** Every violated invariant of `check_money()`; empty when all hold. */
export async function selectViolations(db: Queryable): Promise<MoneyViolation[]> {
  return await db.sql<MoneyViolation>`select invariant, subject, detail from check_money()`;
}

/** The functions that make up `check_money()`, with their source. */
export async function selectCheckFunctions(db: Queryable): Promise<{ name: string; source: string }[]> {
  return await db.sql<{ name: string; source: string }>`
    select p.proname as name, p.prosrc as source from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' and p.proname like 'check\\_money\\_%' order by 1`;
}

/** The findings of one of these functions. Its name comes from the database. */
export async function selectViolationsOf(db: Queryable, name: string): Promise<MoneyViolation[]> {
  return await db.query<MoneyViolation>(`select invariant, subject, detail from public."${name}"()`, []);
}

/** How many rows a table has; null if it does not exist. */
export async function countRows(db: Queryable, table: string): Promise<LookedAt | null> {
  const [guess] = await db.sql<{ rows: number }>`
    select coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 as rows from pg_class c
    where c.oid = to_regclass(${`public.${table}`}) or c.oid in (
      select inhrelid from pg_inherits where inhparent = to_regclass(${`public.${table}`}))
    having count(*) > 0`;
  if (guess === undefined) {
    return null;
  }
  if (guess.rows > exactRowsMax) {
    return { table, count: BigInt(Math.round(guess.rows)), isExact: false };
  }
  try {
    const [exact] = await db.query<{ rows: bigint }>(`select count(*) as rows from public."${table}"`, []);
    return { table, count: exact?.rows ?? 0n, isExact: true };
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      return null;
    }
    throw error;
  }
}
