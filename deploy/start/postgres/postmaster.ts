import { readFileSync } from "node:fs";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { runAs } from "./account.ts";

/** What a running server writes into its data directory. */
export type PostmasterFile = {
  readonly pid: number;
  /** True once the server accepts connections. */
  readonly isReady: boolean;
  /** The port that the server listens on; 0 before it is known. */
  readonly port: number;
};

const pollIntervalMs = 10;
const fastShutdownMsMax = 30_000;
const immediateShutdownMsMax = 5_000;

/** Reads `postmaster.pid`; null when no server runs or ran there, or the file is half written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1
    ? { pid, isReady: (lines[7] ?? "").trim() === "ready", port: Number(lines[3]) || 0 }
    : null;
}

/**
 * Ends a server left over from a start that was killed. The caller holds the cluster's lock, so no live program is
 * using it. If the process id in the file now belongs to another program, that is left alone, and the file removed:
 * Postgres itself would refuse to start because of it.
 */
export async function stopOrphan(cluster: string, report: (line: string) => void): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file === null || !isAlive(file.pid)) {
    return;
  }
  if (!(await isPostmasterOf(file.pid, cluster))) {
    await rm(join(cluster, "postmaster.pid"), { force: true });
    return;
  }
  report(`stopping a Postgres (process ${file.pid}) left over from an earlier start`);
  await stopProcess(file.pid, () => isAlive(file.pid));
}

/** Asks a server to stop, with stronger and stronger signals, until `isRunning` says that it has. */
export async function stopProcess(pid: number, isRunning: () => boolean): Promise<void> {
  // SIGINT is the fast shutdown (sessions are cut, everything is written), SIGQUIT the immediate one (recovery at next start).
  if (await signalAndWait(pid, "SIGINT", isRunning, fastShutdownMsMax)) {
    return;
  }
  if (await signalAndWait(pid, "SIGQUIT", isRunning, immediateShutdownMsMax)) {
    return;
  }
  await signalAndWait(pid, "SIGKILL", isRunning, immediateShutdownMsMax);
}

/** Whether the process ended within the time. */
export async function signalAndWait(
  pid: number,
  signal: NodeJS.Signals,
  isRunning: () => boolean,
  waitMsMax: number,
): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch {
    return !isRunning();
  }
  const deadline = performance.now() + waitMsMax;
  while (isRunning()) {
    if (performance.now() > deadline) {
      return false;
    }
    await Bun.sleep(pollIntervalMs);
  }
  return true;
}

/** A process that ended but was never waited for (in a container without an init process) does not count as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return true;
  }
}

/**
 * A server's working directory is its data directory, which distinguishes it from any other process even after the
 * folder was renamed.
 */
async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (workingDirectory !== null) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => "");
    return workingDirectory === (await realpath(cluster)) && basename(program).startsWith("postgres");
  }
  const { exitCode, output } = await runAs(null, ["ps", "-o", "args=", "-p", String(pid)]);
  return exitCode === 0 && output.includes("postgres") && output.includes(cluster);
}
