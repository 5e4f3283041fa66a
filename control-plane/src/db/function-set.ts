import type { SQL } from "bun";
import { sqlStateOf } from "../platform/db-errors.ts";
import type { SqlFunction } from "./function-files.ts";
import { applyPart } from "./sql-part.ts";

type FunctionSet = { readonly hash: string; readonly release: string; readonly signatures: readonly string[] };

/** The outcome for the functions; `newer` means that those of a newer release were left alone. */
export type FunctionOutcome = "same" | "applied" | "newer";

/**
 * The server's error "cannot change return type of existing function", which also covers parameter names: the function
 * has to be dropped first.
 */
const definitionConflict = "42P13";

/**
 * Replaces all functions, in one transaction, when any of them has changed since the last time. A function whose
 * signature changed replaces the old one; one that is no longer in any file is dropped, if it came from a file.
 *
 * A replica of the previous release may restart after this one: it finds a newer release here and leaves it alone.
 * @throws Error with file and line. The transaction is then still open.
 */
export async function applyFunctions(
  connection: SQL,
  functions: readonly SqlFunction[],
  release: string,
): Promise<FunctionOutcome> {
  const last = await readFunctionSet(connection);
  const hash = hashOf(functions);
  if (hash === last.hash) {
    return "same";
  }
  if (Bun.semver.order(release, last.release) < 0) {
    return "newer";
  }
  const toDrop = new Set<string>();
  for (;;) {
    const conflict = await tryToReplace(connection, functions, toDrop);
    if (conflict === null) {
      break;
    }
    toDrop.add(conflict);
  }
  const signatures = await dropRemoved(connection, last.signatures);
  await connection`
    insert into drizzle.function_set (id, hash, release, signatures)
    values (1, ${hash}, ${release}, ${JSON.stringify(signatures)}::text::jsonb)
    on conflict (id) do update set hash = excluded.hash, release = excluded.release, signatures = excluded.signatures,
      applied_at = now()`;
  await connection`commit`;
  return "applied";
}

/**
 * @returns the name of a function that has to be dropped before it can be replaced; the transaction is then rolled back
 */
async function tryToReplace(
  connection: SQL,
  functions: readonly SqlFunction[],
  toDrop: ReadonlySet<string>,
): Promise<string | null> {
  await connection`begin`;
  for (const { file, name, text, line } of functions) {
    if (toDrop.has(name)) {
      await dropByName(connection, name);
    }
    try {
      await applyPart(connection, `functions/${file}`, { text, line });
    } catch (error) {
      if (sqlStateOf(error) !== definitionConflict || toDrop.has(name)) {
        throw error;
      }
      await connection`rollback`;
      return name;
    }
  }
  return null;
}

function hashOf(functions: readonly SqlFunction[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const { text } of functions) {
    hasher.update(text);
  }
  return hasher.digest("hex");
}

async function readFunctionSet(connection: SQL): Promise<FunctionSet> {
  const [row] = await connection<FunctionSet[]>`select hash, release, signatures from drizzle.function_set`;
  return row ?? { hash: hashOf([]), release: "0.0.0", signatures: [] };
}

async function dropByName(connection: SQL, name: string): Promise<void> {
  const rows = await connection<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and proname = ${name}`;
  for (const { signature } of rows) {
    await connection.unsafe(`drop function ${signature}`);
  }
}

/**
 * Drops functions that came from files the last time and no longer do.
 * @returns the signatures of the functions that still come from files: this transaction wrote their rows
 */
async function dropRemoved(connection: SQL, lastSignatures: readonly string[]): Promise<string[]> {
  const rows = await connection<{ signature: string; is_ours: boolean }[]>`
    select oid::regprocedure::text as signature, xmin = pg_current_xact_id()::xid as is_ours from pg_proc
    where pronamespace = 'public'::regnamespace order by 1`;
  for (const { signature, is_ours } of rows) {
    if (!is_ours && lastSignatures.includes(signature)) {
      await connection.unsafe(`drop function ${signature}`);
    }
  }
  return rows.filter(({ is_ours }) => is_ours).map(({ signature }) => signature);
}
