import { SQL } from "bun";
import { sqlStateOf } from "../platform/db-errors.ts";
import { advisoryLockKey } from "../platform/db-locks.ts";
import { sessionSettings } from "../platform/db-pool.ts";
import { type Migration, type MigrationPart, readMigrations } from "./migration-files.ts";

/** Receives one line of progress for a person. */
export type Report = (line: string) => void;

/** A migration may build an index over a large table. */
const statementTimeoutMs = 15 * 60_000;
/**
 * A table lock that has to wait makes everyone who comes later wait behind it. So it gives up soon, lets the queue
 * pass, and tries again.
 */
const lockTimeoutMs = 3_000;
const lockAttemptsMax = 20;
const turnPollMs = 250;
const turnTimeoutMs = 20 * 60_000;

const serverVersionMin = 150_000;

/**
 * Brings the database to the state this program was written for. Replicas that start together wait for each other; one
 * of them applies the files, each in a transaction of its own, so that a failure leaves whole migrations behind.
 *
 * The files and the table of applied ones are drizzle-kit's, but its runner is not used: it puts all files into one
 * transaction, takes no lock, does not notice that an applied file was edited, and can't say which line failed.
 * @throws Error with a sentence for the operator: an edited file, a failed statement with its line, an old server
 */
export async function migrate(
  databaseUrl: string,
  report: Report,
  folder: URL = new URL("./migrations/", import.meta.url),
): Promise<void> {
  const migrations = await readMigrations(folder);
  const pool = new SQL(databaseUrl, {
    adapter: "postgres",
    max: 1,
    bigint: true,
    connectionTimeout: 10,
    connection: sessionSettings({
      applicationName: "sluice migrate",
      role: null,
      statementTimeoutMs,
      lockTimeoutMs,
      idleInTransactionTimeoutMs: 60_000,
    }),
  });
  try {
    const connection = await connect(pool, databaseUrl);
    try {
      await checkServer(connection);
      await inTurn(connection, report, () => applyMissing(connection, migrations, report));
    } finally {
      await connection.close({ timeout: 0 });
    }
  } finally {
    await pool.close({ timeout: 0 });
  }
}

async function connect(pool: SQL, databaseUrl: string): Promise<Bun.ReservedSQL> {
  try {
    return await pool.reserve();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The address without the password.
    const { host, pathname } = new URL(databaseUrl);
    throw new Error(`can't connect to the database ${host}${pathname}: ${reason}`, { cause: error });
  }
}

async function checkServer(connection: SQL): Promise<void> {
  const [row] = await connection<{ version: number; encoding: string }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`;
  if (row === undefined || row.version < serverVersionMin) {
    throw new Error(`PostgreSQL 15 or newer is needed; the server reports ${row?.version}`);
  }
  if (row.encoding !== "UTF8") {
    throw new Error(`the database must be encoded in UTF8; it is in ${row.encoding}`);
  }
}

/**
 * Runs the work under a lock of this database. It polls for the lock instead of queueing for it: a statement that waits is
 * a statement that runs, and would itself be waited for by an index that is built concurrently.
 */
async function inTurn(connection: SQL, report: Report, work: () => Promise<void>): Promise<void> {
  const key = advisoryLockKey("migrate");
  const deadline = performance.now() + turnTimeoutMs;
  for (let attempt = 0; !(await tryLock(connection, key)); attempt += 1) {
    if (attempt === 0) {
      report("another process migrates this database; waiting for it");
    }
    if (performance.now() > deadline) {
      throw new Error("another process has been migrating this database for too long");
    }
    await Bun.sleep(turnPollMs * (0.5 + Math.random()));
  }
  await work();
  // After a failure the end of the session frees it, as soon as the server has noticed; here nobody needs to wait for that.
  await connection`select pg_advisory_unlock(${key})`;
}

async function tryLock(connection: SQL, key: bigint): Promise<boolean> {
  const [row] = await connection<{ taken: boolean }[]>`select pg_try_advisory_lock(${key}) as taken`;
  return row?.taken === true;
}

async function applyMissing(connection: SQL, migrations: readonly Migration[], report: Report): Promise<void> {
  const applied = await readApplied(connection);
  const missing = migrations.filter(({ createdAt }) => !applied.has(createdAt));
  const newest = [...applied.keys()].reduce((left, right) => (left > right ? left : right), 0n);
  for (const migration of migrations) {
    checkUnchanged(migration, applied.get(migration.createdAt), newest);
  }
  const unknown = applied.size + missing.length - migrations.length;
  if (unknown > 0) {
    report(`the database is newer than this program: it has ${unknown} migration(s) more`);
  }
  for (const migration of missing) {
    const startedAt = performance.now();
    await applyPatiently(connection, migration, report);
    report(`applied ${migration.tag} in ${Math.round(performance.now() - startedAt)} ms`);
  }
  if (missing.length === 0) {
    report("the database is up to date");
  }
}

function checkUnchanged(migration: Migration, appliedHash: string | undefined, newest: bigint): void {
  if (appliedHash === undefined) {
    if (migration.createdAt < newest) {
      throw new Error(
        `migration ${migration.tag} is older than one that is already applied; generate it again so that it comes last`,
      );
    }
  } else if (appliedHash !== migration.hash) {
    throw new Error(
      `migration ${migration.tag} was edited after it had been applied; restore the file and write a new migration`,
    );
  }
}

/** What was applied before: hash by the time of generation. Creates drizzle-kit's table when it is not there. */
async function readApplied(connection: SQL): Promise<Map<bigint, string>> {
  await connection.unsafe(`
    create schema if not exists drizzle;
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)
  `);
  const rows = await connection<{ hash: string; created_at: bigint }[]>`
    select hash, created_at from drizzle.__drizzle_migrations`;
  return new Map(rows.map(({ hash, created_at }) => [created_at, hash]));
}

async function applyPatiently(connection: SQL, migration: Migration, report: Report): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await apply(connection, migration);
      return;
    } catch (error) {
      await connection`rollback`;
      if (sqlStateOf(error) !== "55P03" || attempt === lockAttemptsMax) {
        throw error;
      }
      report(`${migration.tag}: a table is in use, trying again (${attempt} of ${lockAttemptsMax})`);
      await Bun.sleep(lockTimeoutMs * Math.random());
    }
  }
}

async function apply(connection: SQL, migration: Migration): Promise<void> {
  await connection`begin`;
  for (const part of migration.parts) {
    await applyPart(connection, migration.tag, part);
  }
  await connection`insert into drizzle.__drizzle_migrations (hash, created_at)
    values (${migration.hash}, ${migration.createdAt})`;
  await connection`commit`;
}

async function applyPart(connection: SQL, tag: string, part: MigrationPart): Promise<void> {
  try {
    await connection.unsafe(part.text).simple();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`migration ${tag}.sql, line ${failedLine(part, error)}: ${reason}`, { cause: error });
  }
}

/** The server counts characters from 1 inside the text that it was sent. */
function failedLine(part: MigrationPart, error: unknown): number {
  const position = error instanceof SQL.PostgresError ? Number(error.position ?? Number.NaN) : Number.NaN;
  const before = Number.isNaN(position) ? /^\s*/.exec(part.text)?.[0] : [...part.text].slice(0, position - 1).join("");
  return part.line + (before ?? "").split("\n").length - 1;
}
