import { Database } from "bun:sqlite";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../start-error.ts";

export type HomeLock = {
  release(): void;
};

/**
 * Makes this process the only one that manages the cluster at `home`. It is a kernel lock, taken through SQLite because
 * Bun has no API for it: unlike a file with a process id it can't survive its owner, not even after SIGKILL.
 * @throws StartError when another live process holds it
 */
export function acquireHomeLock(home: string): HomeLock {
  const ownerFile = join(home, "owner.pid");
  const lockFile = join(home, "lock");
  const database = new Database(lockFile);
  try {
    database.run("pragma busy_timeout = 0");
    database.run("begin exclusive");
  } catch {
    database.close();
    throw new StartError(
      `Process ${readOwner(ownerFile)} already runs the database in ${home}. ` +
        "Stop it first, or set DATA_DIR (and PORT) to run a second one beside it.",
    );
  }
  chmodSync(lockFile, 0o600);
  writeFileSync(ownerFile, String(process.pid));
  return {
    release: () => {
      rmSync(ownerFile, { force: true });
      database.close();
    },
  };
}

function readOwner(ownerFile: string): string {
  try {
    return readFileSync(ownerFile, "utf8");
  } catch {
    return "(unknown)";
  }
}
