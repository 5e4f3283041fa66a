import { readdirSync, readFileSync } from "node:fs";

export type GroupResult = {
  readonly exitCode: number;
  readonly output: string;
  readonly isTimedOut: boolean;
  /** Commands that were still running in the group after its first process had ended. They have been killed. */
  readonly leftovers: readonly string[];
  /** The processor time of the command and of the children that it waited for. */
  readonly cpuMs: number;
};

export type GroupOptions = {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly timeoutMs: number;
  /** How long its children may take to end after it; by default far longer than it takes on a busy machine. */
  readonly settleMs?: number;
};

const politenessMs = 3_000;
const settleMsDefault = 10_000;
const lookEveryMs = 50;
const running = new Set<number>();
/** The variable that marks what a group starts, so that it is found even after it has left the group. */
export const markName = "SLUICE_TEST_GROUP";
let groups = 0;

/** Runs a command in a separate process group to its end or to the time limit, and leaves nothing of it running. */
export async function runInGroup(command: string[], options: GroupOptions): Promise<GroupResult> {
  groups += 1;
  const mark = `${process.pid}-${groups}`;
  const child = Bun.spawn(command, {
    cwd: options.cwd,
    env: { ...options.env, [markName]: mark },
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
  const leftovers = isTimedOut ? [] : await findLeftovers({ group: child.pid, mark }, options);
  killMembers({ group: child.pid, mark });
  running.delete(child.pid);
  const [stdout, stderr] = await outputs;
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000;
  return { exitCode, output: stdout + stderr, isTimedOut, leftovers, cpuMs };
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

/** A process group, and the mark that its members and their children carry in their environment. */
type Family = { readonly group: number; readonly mark: string };
type Member = { readonly pid: number; readonly command: string };

/** A child that is being stopped gets a moment before it counts as left behind. */
async function findLeftovers(
  family: Family,
  { settleMs = settleMsDefault }: Pick<GroupOptions, "settleMs">,
): Promise<string[]> {
  const deadline = performance.now() + settleMs;
  let members = membersOf(family);
  while (members.length > 0 && performance.now() < deadline) {
    await Bun.sleep(lookEveryMs);
    members = membersOf(family);
  }
  return members.map(({ command }) => command);
}

function killMembers(family: Family): void {
  signalGroup(family.group, "SIGKILL");
  for (const { pid } of membersOf(family)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended while we were looking.
    }
  }
}

/** What still runs of a family; without /proc nothing is known and nothing is reported. */
function membersOf({ group, mark }: Family): Member[] {
  const members: Member[] = [];
  for (const pid of listProcesses()) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z" && (Number(processGroup) === group || isMarked(pid, mark))) {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        members.push({ pid: Number(pid), command });
      }
    } catch {
      // It ended while we were looking.
    }
  }
  return members;
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${markName}=${mark}`);
  } catch {
    // Another user's process, or the kernel's.
    return false;
  }
}

function listProcesses(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
