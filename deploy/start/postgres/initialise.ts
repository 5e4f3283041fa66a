import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../start-error.ts";
import { type Account, runAs } from "./account.ts";
import type { PostgresBinaries } from "./binaries.ts";
import { exists } from "./place.ts";

/** The owner of the cluster and of the database of the same name. */
export const databaseUser = "sluice";

export type NewCluster = {
  readonly cluster: string;
  readonly password: string;
  readonly binaries: PostgresBinaries;
  readonly account: Account | null;
  readonly isDurable: boolean;
};

/**
 * The password of the cluster at `home`, created at the first start. Anyone on the machine may connect to 127.0.0.1, so
 * the password is what keeps other users out.
 * @throws StartError when the cluster exists and its password file is missing
 */
export async function readOrCreatePassword(home: string, cluster: string): Promise<string> {
  const file = join(home, "password");
  const existing = await readFile(file, "utf8").catch(() => "");
  if (existing !== "") {
    return existing.trim();
  }
  if (await exists(cluster)) {
    throw new StartError(`The password of the database in ${cluster} is missing: restore ${file}.`);
  }
  const password = randomBytes(24).toString("hex");
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/**
 * Creates the database files, under another name that is changed at the end, so that an interrupted first start leaves
 * nothing that looks like a database. Collation is by code point with the server's own Unicode character classes: it
 * depends on no locale of the machine, so an index stays valid when the files move to another one.
 * @throws StartError with the error output of `initdb`
 */
export async function initialiseCluster(options: NewCluster): Promise<void> {
  const { cluster, password, binaries, account, isDurable } = options;
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await chmod(unfinished, 0o700);
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== null) {
    await chown(unfinished, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  try {
    const { exitCode, output } = await runAs(account, [
      binaries.initdb,
      `--pgdata=${unfinished}`,
      `--username=${databaseUser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      // With checksums, to read a new row writes its page to the log of the database.
      ...(isDurable ? [] : ["--no-sync", "--no-data-checksums"]),
    ]);
    if (exitCode !== 0) {
      throw new StartError(`The database could not be created in ${cluster}:\n${output.trim()}`);
    }
    await rename(unfinished, cluster);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}
