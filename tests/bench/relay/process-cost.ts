/**
 * What processes cost, read from /proc. CPU time is the kernel's own account (`stat` fields 14 to 17): all threads,
 * ended ones too, and all descendants, because a child that was waited for is added to its parent.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** USER_HZ, the unit of `stat`, is 100 on every architecture that Linux and Bun share. */
const TICK_MS = 10;
/** Written to `clear_refs` it resets VmHWM to the current size. */
const RESET_PEAK = "5";

type ProcessStat = { readonly pid: number; readonly parent: number; readonly cpuMs: number };

/** CPU milliseconds that the process and all its descendants have used since they were started. */
export function cpuMsOfTree(root: number): number {
  return statsOfTree(root).reduce((sum, each) => sum + each.cpuMs, 0);
}

/** User and system time in milliseconds. */
export type ThreadCpu = { readonly userMs: number; readonly systemMs: number };

/** The name of the threads that processes begin with. */
export const firstThread = "first thread";

/** What the threads of the process and its descendants have used that still run, by their names. */
export function cpuOfThreads(root: number): Record<string, ThreadCpu> {
  const sums: Record<string, { userMs: number; systemMs: number }> = {};
  for (const { pid } of statsOfTree(root)) {
    for (const thread of listThreads(pid)) {
      const stat = readFields(`/proc/${pid}/task/${thread}/stat`);
      if (stat !== null) {
        // Threads of a pool differ by a number at the end.
        const name = thread === String(pid) ? firstThread : stat.name.replace(/[ #]*\d+$/, "");
        sums[name] ??= { userMs: 0, systemMs: 0 };
        sums[name].userMs += Number(stat.fields[11]) * TICK_MS;
        sums[name].systemMs += Number(stat.fields[12]) * TICK_MS;
      }
    }
  }
  return sums;
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Sum of VmHWM (peak resident memory since the last reset) of the process and its descendants, in MB of 10^6 bytes. */
export function peakMemoryMbOfTree(root: number): number {
  return statsOfTree(root).reduce((sum, each) => sum + peakMemoryMb(each.pid), 0);
}

/** Begins a new measurement of the peak. */
export function resetPeakMemoryOfTree(root: number): void {
  for (const { pid } of statsOfTree(root)) {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  }
}

/** CPU milliseconds used by all processes of the machine and by its host since it was started, interrupts not included. */
export function cpuMsOfMachine(): number {
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    /^cpu +(.*)/.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? ""
  )
    .split(" ")
    .map(Number);
  return (user + nice + system + stolen) * TICK_MS;
}

function statsOfTree(root: number): ProcessStat[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
  const tree = all.filter((each) => each.pid === root);
  for (const parent of tree) {
    tree.push(...all.filter((each) => each.parent === parent.pid));
  }
  if (tree.length === 0) {
    throw new Error(`process ${root} is gone`);
  }
  return tree;
}

/** @returns null if it ended between the listing and the reading; its parent has its time then */
function readStat(pid: number): ProcessStat | null {
  const stat = readFields(`/proc/${pid}/stat`);
  if (stat === null) {
    return null;
  }
  const ticks = stat.fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(stat.fields[1]), cpuMs: ticks * TICK_MS };
}

/** The name in a `stat` and the fields after it, or null if its process or thread has ended. */
function readFields(path: string): { readonly name: string; readonly fields: readonly string[] } | null {
  try {
    const text = readFileSync(path, "utf8");
    // The name may contain spaces and parentheses; the relevant fields follow its last ")".
    const end = text.lastIndexOf(")");
    return { name: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
  } catch {
    return null;
  }
}

function peakMemoryMb(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
}
