import { chmod, copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chooseAccount, runAs } from "../start/postgres/account.ts";
import { chooseClusterDirectory, clusterName, createHome, exists } from "../start/postgres/place.ts";
import { say } from "../start/progress.ts";
import { StartError } from "../start/start-error.ts";
import { readArchive, writeArchive } from "./archive-stream.ts";
import type { BackupStore } from "./backup-store.ts";
import type { BackupFile } from "./manifest.ts";

const baseName = "base.tar.gz";
const logName = "log.tar.gz";
const segmentPattern = /^[0-9A-F]{24}$/;

/** Files that a server recreates, or that matter only while it runs. */
const leftOut = [
  ...["./pg_wal/*", "./postmaster.pid", "./postmaster.opts", "./pg_replslot/*", "./pg_dynshmem/*", "./pg_notify/*"],
  ...["./pg_serial/*", "./pg_snapshots/*", "./pg_stat_tmp/*", "./pg_subtrans/*", "*/pgsql_tmp*", "./backup_label"],
];

/** tar returns 1 when a file changed while it was read; replaying the server's log repairs that. */
const changedWhileRead = [0, 1];

/**
 * Copies the files of the embedded Postgres while it runs, and the log that completes the copy.
 * @param home the folder of the cluster
 */
export async function backUpFiles(
  store: BackupStore,
  home: string,
  folder: string,
  encrypt: string | null,
): Promise<BackupFile[]> {
  const cluster = await findCluster(home);
  const files: BackupFile[] = [];
  const command = ["tar", "--create", "--gzip", "--file=-", ...leftOut.map((name) => `--exclude=${name}`)];
  const done = await store.duringFileBackup(async () => {
    const program = { command: [...command, `--directory=${cluster}`, "."], goodCodes: changedWhileRead };
    files.push(await writeArchive(join(folder, baseName), program, encrypt));
  });
  const staging = join(folder, "staging");
  await mkdir(join(staging, "pg_wal"), { recursive: true, mode: 0o700 });
  await writeFile(join(staging, "backup_label"), done.label, { mode: 0o600 });
  await copyFile(join(home, "password"), join(staging, "password"));
  const segments = (await readdir(join(cluster, "pg_wal"))).filter(
    (name) => segmentPattern.test(name) && name >= done.firstSegment && name <= done.lastSegment,
  );
  for (const name of segments) {
    await copyFile(join(cluster, "pg_wal", name), join(staging, "pg_wal", name));
  }
  const program = { command: ["tar", "--create", "--gzip", "--file=-", `--directory=${staging}`, "."] };
  files.push(await writeArchive(join(folder, logName), program, encrypt));
  await rm(staging, { recursive: true });
  return files;
}

async function findCluster(home: string): Promise<string> {
  const account = await chooseAccount(join(home, clusterName));
  return await chooseClusterDirectory(home, account, () => undefined);
}

/**
 * Installs the files of a backup as the embedded Postgres of a data directory that has none.
 * @throws StartError when there is one already
 */
export async function restoreFiles(home: string, folder: string, decrypt: string | null): Promise<void> {
  if (await exists(home)) {
    throw new StartError(`${home} already exists. Move it away, or restore with another DATA_DIR.`);
  }
  await mkdir(dirname(home), { recursive: true, mode: 0o700 });
  const account = await chooseAccount(join(home, clusterName));
  await createHome(home, account);
  const cluster = await chooseClusterDirectory(home, account, (line) => say("database", line));
  const unfinished = `${cluster}.restored`;
  await mkdir(unfinished, { mode: 0o700 });
  for (const name of [baseName, logName]) {
    const command = ["tar", "--extract", "--gzip", "--file=-", "--no-same-owner", `--directory=${unfinished}`];
    await readArchive(join(folder, name), { command }, decrypt);
  }
  // The two may be on different disks, where nothing can be renamed from one to the other.
  await copyFile(join(unfinished, "password"), join(home, "password"));
  await rm(join(unfinished, "password"));
  await mkdir(join(unfinished, "pg_wal", "archive_status"), { recursive: true, mode: 0o700 });
  await chmod(unfinished, 0o700);
  if (account !== null) {
    const { exitCode, output } = await runAs(null, ["chown", "-R", `${account.uid}:${account.gid}`, unfinished]);
    if (exitCode !== 0) {
      throw new StartError(`The files could not be given to the user of Postgres: ${output.trim()}`);
    }
  }
  // The rename comes last, so that an interrupted copy is not a database.
  await rename(unfinished, cluster);
}
