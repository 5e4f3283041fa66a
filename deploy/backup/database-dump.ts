import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runAs } from "../start/postgres/account.ts";
import { StartError } from "../start/start-error.ts";
import { type Program, readArchive, writeArchive } from "./archive-stream.ts";
import type { BackupFile } from "./manifest.ts";

const dumpName = "database.dump";
/**
 * Bodies of calls, the keys of their days, and their partitions are left out: a copy of a key could decrypt the bodies
 * of its day after it was destroyed in the database. The dump contains their tables, but no rows.
 */
export const notDumped = [
  "payload_day_key",
  "payload_day_count",
  "payload_segment*",
  "payload_record*",
  "cached_response",
] as const;

const packageRoots = ["/usr/lib/postgresql", "/usr/pgsql"];

/**
 * A Postgres program at least as new as the server: an older one refuses to work with it.
 * @throws StartError
 */
async function findClient(name: "pg_dump" | "pg_restore", serverMajor: number): Promise<string> {
  const folders = await Promise.all(
    packageRoots.map(async (root) =>
      (await readdir(root).catch(() => [])).map((version) => join(root, version, "bin")),
    ),
  );
  const candidates = [Bun.which(name) ?? "", ...folders.flat().map((folder) => join(folder, name))];
  for (const candidate of candidates.filter((path) => path !== "")) {
    const { exitCode, output } = await runAs(null, [candidate, "--version"]);
    if (exitCode === 0 && Number(/(\d+)(?:\.|\s|$)/.exec(output)?.[1] ?? 0) >= serverMajor) {
      return candidate;
    }
  }
  throw new StartError(`There is no ${name} of version ${serverMajor} or later here. Install the client of Postgres.`);
}

/** The password is passed in the environment, so that no process list shows it. */
function clientOf(command: readonly string[], databaseUrl: string): Program {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return {
    command: [...command, `--dbname=${url.href}`],
    env: { ...process.env, PGPASSWORD: password, PGCONNECT_TIMEOUT: "10" },
  };
}

/** A dump of your own Postgres without the bodies of calls, consistent as of its beginning, while the service runs. */
export async function dumpDatabase(
  databaseUrl: string,
  serverMajor: number,
  folder: string,
  encrypt: string | null,
): Promise<BackupFile[]> {
  const client = await findClient("pg_dump", serverMajor);
  const excluded = notDumped.map((table) => `--exclude-table-data=public.${table}`);
  const command = [client, "--format=custom", "--no-owner", "--lock-wait-timeout=60000", ...excluded];
  const program = clientOf(command, databaseUrl);
  return [await writeArchive(join(folder, dumpName), program, encrypt)];
}

/** Loads a dump into an empty database: all of it, or nothing. */
export async function restoreDump(
  databaseUrl: string,
  serverMajor: number,
  folder: string,
  decrypt: string | null,
): Promise<void> {
  const client = await findClient("pg_restore", serverMajor);
  const program = clientOf([client, "--single-transaction", "--exit-on-error", "--no-owner"], databaseUrl);
  await readArchive(join(folder, dumpName), program, decrypt);
}
