/**
 * `bun run backup --to FOLDER [--encrypt COMMAND]`: backs up the database while the service runs, into a new subfolder
 * of FOLDER. Your own Postgres (DATABASE_URL) is dumped with pg_dump; for the embedded one, which may be newer than the
 * installed pg_dump, the files are copied. The command reads from stdin and writes to stdout, such as `age -r age1...`.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { say } from "../start/progress.ts";
import { StartError } from "../start/start-error.ts";
import type { DatabaseFacts } from "./backup-store.ts";
import { backUpFiles } from "./cluster-files.ts";
import { dumpDatabase } from "./database-dump.ts";
import { type BackupFile, writeManifest } from "./manifest.ts";
import { runWithDatabase, type ServiceDatabase } from "./service-database.ts";

async function backUp(to: string, encrypt: string | null): Promise<void> {
  const createdAt = new Date().toISOString();
  const name = `sluice-${createdAt.replaceAll(/[-:]|\.\d+/g, "")}`;
  const unfinished = join(resolve(to), `${name}.unfinished`);
  if (encrypt === null) {
    say("backup", "will not be encrypted; --encrypt names a command that does that");
  }
  await runWithDatabase(async (database) => {
    if ((await database.store.countTables()) === 0) {
      throw new StartError("The database is empty: there is nothing to back up.");
    }
    const facts = await database.store.readFacts();
    // Only now, so that a database that can't be read leaves no folder; nor does a backup that fails.
    const made = await mkdir(unfinished, { recursive: true, mode: 0o700 });
    try {
      const files = await writeFiles(database, facts, { folder: unfinished, encrypt });
      const kind = database.home === null ? ("dump" as const) : ("files" as const);
      const manifest = { format: 1 as const, kind, createdAt, ...facts, isEncrypted: encrypt !== null, files };
      await writeManifest(unfinished, manifest);
    } catch (error) {
      await rm(made ?? unfinished, { recursive: true });
      throw error;
    }
    const folder = join(resolve(to), name);
    await rename(unfinished, folder);
    await record(database, encrypt !== null);
    say("backup", `${folder}, with at least ${facts.usageRows} calls; README.txt in it says what it holds`);
  });
}

/** The backup is good without its record, which a server that only replicates another one refuses. */
async function record({ home, store }: ServiceDatabase, isEncrypted: boolean): Promise<void> {
  try {
    await store.recordBackup(home === null ? "dump" : "files", isEncrypted);
  } catch (error) {
    say("backup", `not recorded in the audit log: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function writeFiles(
  { url, ownerUrl, home, store }: ServiceDatabase,
  { postgres }: DatabaseFacts,
  { folder, encrypt }: { readonly folder: string; readonly encrypt: string | null },
): Promise<BackupFile[]> {
  return home === null
    ? await dumpDatabase(ownerUrl ?? url, postgres, folder, encrypt)
    : await backUpFiles(store, home, folder, encrypt);
}

const { values } = parseArgs({ options: { to: { type: "string" }, encrypt: { type: "string" } } });
try {
  if (values.to === undefined) {
    throw new StartError("--to names the folder for backups.");
  }
  await backUp(values.to, values.encrypt ?? null);
} catch (error) {
  process.stderr.write(`backup: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
