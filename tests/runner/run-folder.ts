import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const memoryFolder = "/dev/shm";
const prefix = "sluice-tests-";
const diskVariable = "TEST_DISK_TMPDIR";
const abandonedAfterMs = 3_600_000;
const gibibyte = 1024 ** 3;
/** A whole run takes up to about 1 GiB there at once. */
const folderBytesMin = 4 * gibibyte;
const memoryBytesMin = 8 * gibibyte;
/** Everybody may write in it and only remove what is theirs, as in /tmp: Postgres and nginx run as other users. */
const openToAll = 0o1777;

/**
 * Moves the temporary files of this process and its children into a folder of this run, which is removed when it exits.
 * In memory where there is plenty: to create and drop a database takes a tenth of what it takes on a disk.
 */
export function openRunFolder(): void {
  const parent = parentOfRuns();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, runPrefix(process.pid)));
  chmodSync(folder, openToAll);
  process.env[diskVariable] = tmpdir();
  process.env["TMPDIR"] = folder;
  process.once("exit", () => removeFolder(folder));
}

/**
 * For what outlives a run, and for tests that install packages: Bun links them from its cache if that is on the same
 * disk, and copies them otherwise.
 */
export function diskTmpdir(): string {
  return process.env[diskVariable] ?? tmpdir();
}

/** Whether the temporary folder of this process is that of a run, and goes with it. */
export function isInRunFolder(): boolean {
  return process.env[diskVariable] !== undefined;
}

export function parentOfRuns(): string {
  return hasRoomyMemory() ? memoryFolder : tmpdir();
}

/** How the name of the folder of a run begins. */
export function runPrefix(pid: number): string {
  return `${prefix}${pid}-`;
}

/** Whether programs can be run there as well: tests put some into their temporary folders. */
function hasRoomyMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return isExecutableMemory() && bavail * bsize >= folderBytesMin && freemem() >= memoryBytesMin;
  } catch {
    return false;
  }
}

function isExecutableMemory(): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , type, options = ""] = mounts.findLast((line) => line.split(" ")[1] === memoryFolder)?.split(" ") ?? [];
  return type === "tmpfs" && !options.split(",").includes("noexec");
}

/**
 * The folders of runs that were killed. A run in another container is not seen here, but it creates files in its folder
 * all the time.
 */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent).filter((candidate) => candidate.startsWith(prefix))) {
    const folder = join(parent, name);
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (!isAlive(pid) && Date.now() - mtimeMs > abandonedAfterMs) {
      removeFolder(folder);
    }
  }
}

/** What can't be removed yet, because a process that was killed is still writing, is left to the next run. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    process.stderr.write(`${folder} is left: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
