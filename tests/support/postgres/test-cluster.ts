import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@sluice/control-plane/db/migrate.ts";
import { callTables, ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { acquireHomeLock } from "@sluice/deploy/start/postgres/lock-store";
import { lighterSettings } from "../../runner/lighter-program.ts";
import { patienceMs } from "../values/patience.ts";
import { copyFiles } from "./copied-files.ts";

/** Marked as templates that nobody can connect to: a connection would make every copy fail. */
export const templateName = "sluice_template";
/** It has the partitions that a service creates when it starts, which takes ten times as long as to copy them. */
export const servedTemplateName = "sluice_served_template";

/** The files of a stopped cluster with the templates. An ordinary run starts every further cluster from a copy of them. */
export const clusterVariable = "TEST_CLUSTER";

const homePrefix = "sluice-test-";
const abandonedAfterMs = 60_000;

export type TestClusterOptions = {
  /** True keeps fsync and full-page writes on, for tests that lose power or kill the server. Default false. */
  readonly isDurable?: boolean;
  /** For how many days after today the served template has partitions. The default is what a service creates. */
  readonly daysAhead?: number;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A new folder for a copy of its files, from which others are started: to make one takes 3 s of processor time. */
  readonly copyTo?: string;
  readonly onUnexpectedExit?: (reason: string) => void;
};

/**
 * Starts a separate Postgres in a temporary folder, with the migrated template databases in it. `destroy()` of the
 * result leaves nothing behind.
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<EmbeddedPostgres> {
  await removeAbandonedHomes();
  const home = await mkdtemp(join(tmpdir(), homePrefix));
  await chmod(home, 0o711);
  const { isDurable = false } = options;
  const { [clusterVariable]: made } = process.env;
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      home,
      isDurable,
      settings: {
        max_connections: "400",
        // Nobody keeps the log of a server of tests, so that to compress it is in vain.
        ...(isDurable ? {} : { wal_compression: "off" }),
        ...(made === undefined ? {} : lighterSettings),
        ...options.settings,
      },
      ...(options.onUnexpectedExit ? { onUnexpectedExit: options.onUnexpectedExit } : {}),
    });
  if (made !== undefined) {
    await copyFiles(made, home);
    return await start();
  }
  const cluster = await start();
  try {
    await createTemplates(cluster.url, options);
    if (options.copyTo === undefined) {
      return cluster;
    }
    await cluster.stop();
    await mkdir(options.copyTo, { mode: 0o700 });
    await copyFiles(home, options.copyTo);
    return await start();
  } catch (error) {
    await cluster.destroy();
    throw error;
  }
}

/** The URL of another database of the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function createTemplates(adminUrl: string, options: TestClusterOptions): Promise<void> {
  const sql = new Bun.SQL({ url: adminUrl, max: 1 });
  try {
    await sql.unsafe(`create database ${templateName}`);
    await migrate(withDatabase(adminUrl, templateName), () => undefined);
    await sql.unsafe(`alter database ${templateName} with allow_connections false is_template true`);
    await sql.unsafe(`create database ${servedTemplateName} template ${templateName}`);
    await createPartitions(withDatabase(adminUrl, servedTemplateName), options);
    await sql.unsafe(`alter database ${servedTemplateName} with allow_connections false is_template true`);
  } finally {
    await sql.close();
  }
}

async function createPartitions(url: string, { daysAhead }: TestClusterOptions): Promise<void> {
  const limits = { statementTimeoutMs: patienceMs, lockTimeoutMs: patienceMs, acquireTimeoutMs: patienceMs };
  const db = openDatabase({ url, poolMax: 1, applicationName: "test", ...limits });
  try {
    for (const table of callTables) {
      await ensurePartitions(db, {
        table,
        today: utcDay(Date.now()),
        ...(daysAhead === undefined ? {} : { daysAhead }),
      });
    }
  } finally {
    await db.close(1_000);
  }
}

/** Cleans up after killed test runs: a home whose lock is free belongs to nobody. */
async function removeAbandonedHomes(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(homePrefix)) {
      continue;
    }
    const home = join(tmpdir(), name);
    const { mtimeMs } = await stat(home).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs < abandonedAfterMs) {
      // It may have been made a moment ago by another run that does not hold its lock yet.
      continue;
    }
    try {
      acquireHomeLock(home).release();
    } catch {
      continue;
    }
    await rm(home, { recursive: true, force: true });
  }
}
