import { readdirSync, readFileSync } from "node:fs";

export type GroupResult = {
  readonly exitCode: number;
  readonly output: string;
  readonly isTimedOut: boolean;
  /** Commands that were still running in the group after its first process had ended. They have been killed. */
  readonly leftovers: readonly string[];
};

export type GroupOptions = {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly timeoutMs: number;
};

const politenessMs = 3_000;
const settleMs = 300;
const running = new Set<number>();

/** Runs a command in a process group of its own to the end or to the time limit, and leaves nothing of it running. */
export async function runInGroup(command: string[], options: GroupOptions): Promise<GroupResult> {
  const child = Bun.spawn(command, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  running.add(child.pid);
  let isTimedOut = false;
  let timer = setTimeout(() => {
    isTimedOut = true;
    signalGroup(child.pid, "SIGTERM");
    timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), politenessMs);
  }, options.timeoutMs);
  const outputs = Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  clearTimeout(timer);
  const leftovers = isTimedOut ? [] : await findLeftovers(child.pid);
  signalGroup(child.pid, "SIGKILL");
  running.delete(child.pid);
  const [stdout, stderr] = await outputs;
  return { exitCode, output: stdout + stderr, isTimedOut, leftovers };
}

/** Kills everything that still runs: for the end of an interrupted run. */
export function killAllGroups(): void {
  for (const pid of running) {
    signalGroup(pid, "SIGKILL");
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A child that was just told to stop gets a moment before it counts as left behind. */
async function findLeftovers(group: number): Promise<string[]> {
  if (membersOf(group).length === 0) {
    return [];
  }
  await Bun.sleep(settleMs);
  return membersOf(group);
}

/** The commands of a process group; where there is no /proc, nothing is known and nothing is claimed. */
function membersOf(group: number): string[] {
  const commands: string[] = [];
  for (const pid of listProcesses()) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(processGroup) === group && state !== "Z") {
        commands.push(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim());
      }
    } catch {
      // It ended while we were looking.
    }
  }
  return commands;
}

function listProcesses(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
