import { SQL } from "bun";
import { buildFacts } from "../platform/build-facts.ts";
import { sqlStateOf } from "../platform/db-errors.ts";
import { advisoryLockKey } from "../platform/db-locks.ts";
import { sessionSettings } from "../platform/db-pool.ts";
import { programFile } from "../platform/program-files.ts";
import { adoptFirstRelease } from "./first-release.ts";
import { readFunctions, type SqlFunction } from "./function-files.ts";
import { applyFunctions } from "./function-set.ts";
import { type Migration, readMigrations } from "./migration-files.ts";
import { applyPart } from "./sql-part.ts";

/** Receives one line of progress for a person. */
export type Report = (line: string) => void;

/** The state that a database is migrated to. */
export type SchemaSource = {
  /** The folder that contains `migrations` and `functions`. */
  readonly folder: URL;
  /** The release of these files, as `1.2.3`. */
  readonly release: string;
};

/** The schema that this program requires. */
export const ownSource: SchemaSource = { folder: programFile("control-plane/src/db/"), release: buildFacts.version };

/** The timeout is long, because a migration may build an index over a large table. */
const statementTimeoutMs = 15 * 60_000;
/**
 * A lock request that waits makes everyone after it wait too, so it gives up soon, lets the queue pass, and tries
 * again.
 */
const lockTimeoutMs = 3_000;
const lockAttemptsMax = 20;
const turnPollMs = 250;
const turnTimeoutMs = 20 * 60_000;

const serverVersionMin = 150_000;

/**
 * Brings the database to the state this program was written for. Replicas that start together wait for each other; one
 * of them applies the migrations, each in a transaction of its own, so that a failure leaves only whole migrations
 * behind, and then the functions, all in one transaction, if they have changed.
 *
 * The files and the table of applied ones are drizzle-kit's, but its runner is not used: it puts all files into one
 * transaction, takes no lock, does not notice that an applied file was edited, and can't say which line failed.
 * @throws Error with a sentence for the operator: an edited file, a failed statement with its line, an old server
 */
export async function migrate(databaseUrl: string, report: Report, source: SchemaSource = ownSource): Promise<void> {
  const wanted: WantedSchema = {
    migrations: await readMigrations(new URL("migrations/", source.folder)),
    functions: await readFunctions(new URL("functions/", source.folder)),
    release: source.release,
  };
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
      await inTurn(connection, report, () => bringUpToDate(connection, wanted, report));
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
 * Runs the work under a lock of this database. It polls for the lock instead of queueing for it: a waiting statement
 * counts as a running one, and the concurrent building of an index would wait for it.
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
  // If unlocking fails, the lock is freed with the session as soon as the server notices its end; nobody has to wait
  // for that here.
  await connection`select pg_advisory_unlock(${key})`;
}

async function tryLock(connection: SQL, key: bigint): Promise<boolean> {
  const [row] = await connection<{ taken: boolean }[]>`select pg_try_advisory_lock(${key}) as taken`;
  return row?.taken === true;
}

type WantedSchema = {
  readonly migrations: readonly Migration[];
  readonly functions: readonly SqlFunction[];
  readonly release: string;
};

async function bringUpToDate(connection: SQL, wanted: WantedSchema, report: Report): Promise<void> {
  const { migrations, functions, release } = wanted;
  let applied = await readApplied(connection);
  if (await adoptFirstRelease(connection, migrations, applied)) {
    report("the database is from before the first release, and is taken over as it is");
    applied = await readApplied(connection);
  }
  const missing = checkApplied(migrations, applied);
  const unknown = applied.size + missing.length - migrations.length;
  for (const migration of missing) {
    const startedAt = performance.now();
    await patiently(connection, migration.tag, report, () => apply(connection, migration));
    report(`applied ${migration.tag} in ${Math.round(performance.now() - startedAt)} ms`);
  }
  if (unknown > 0 && missing.length === 0) {
    report(`the database is newer than this program: it has ${unknown} migration(s) more`);
    return;
  }
  const startedAt = performance.now();
  const outcome = await patiently(connection, "functions", report, () =>
    applyFunctions(connection, functions, release),
  );
  if (outcome === "newer") {
    report("the functions of the database are of a newer release, and stay");
  } else if (outcome === "applied") {
    report(`applied the functions in ${Math.round(performance.now() - startedAt)} ms`);
  } else if (missing.length === 0) {
    report("the database is up to date");
  }
}

/**
 * The migrations that are not applied yet.
 * @throws Error when an applied one was edited, or one was inserted before it
 */
function checkApplied(migrations: readonly Migration[], applied: ReadonlyMap<bigint, string>): Migration[] {
  const newest = [...applied.keys()].reduce((left, right) => (left > right ? left : right), 0n);
  for (const migration of migrations) {
    checkUnchanged(migration, applied.get(migration.createdAt), newest);
  }
  return migrations.filter(({ createdAt }) => !applied.has(createdAt));
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

/** The applied migrations: hash by generation time. Creates drizzle-kit's table, and ours, if missing. */
async function readApplied(connection: SQL): Promise<Map<bigint, string>> {
  await connection.unsafe(`
    create schema if not exists drizzle;
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    create table if not exists drizzle.function_set (
      id integer primary key check (id = 1), hash text not null, release text not null, signatures jsonb not null,
      applied_at timestamptz not null default now()
    )
  `);
  const rows = await connection<{ hash: string; created_at: bigint }[]>`
    select hash, created_at from drizzle.__drizzle_migrations`;
  return new Map(rows.map(({ hash, created_at }) => [created_at, hash]));
}

/** A lock that was waited for too long, and a deadlock with transactions that use the same tables in another order. */
const lockStates: readonly unknown[] = ["55P03", "40P01"];

/** Runs a transaction, and retries it from the start while a table that it needs is in use. */
async function patiently<Result>(
  connection: SQL,
  name: string,
  report: Report,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      await connection`rollback`;
      if (!lockStates.includes(sqlStateOf(error)) || attempt === lockAttemptsMax) {
        throw error;
      }
      report(`${name}: a table is in use, trying again (${attempt} of ${lockAttemptsMax})`);
      await Bun.sleep(lockTimeoutMs * Math.random());
    }
  }
}

async function apply(connection: SQL, migration: Migration): Promise<void> {
  await connection`begin`;
  for (const part of migration.parts) {
    await applyPart(connection, `migration ${migration.tag}.sql`, part);
  }
  await connection`insert into drizzle.__drizzle_migrations (hash, created_at)
    values (${migration.hash}, ${migration.createdAt})`;
  await connection`commit`;
}
