import { readFileSync } from "node:fs";

const pollMs = 500;
const levelsMax = 4;

type Link = {
  readonly pid: number;
  readonly parent: number;
};

/**
 * Notices that only the command which started this program was ended, and calls back once. `npx` sends SIGTERM only to
 * the shell between it and us: without this, stopping `npx ... start` from a script would leave the whole service
 * running.
 * @returns a function that stops watching
 */
export function watchLauncher(onLost: () => void): () => void {
  const links = findLaunchers();
  if (links.length === 0) {
    return () => undefined;
  }
  const timer = setInterval(() => {
    if (links.some((link) => parentOf(link.pid) !== link.parent)) {
      clearInterval(timer);
      onLost();
    }
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * The chain of processes from this one up to the script runner: `bun run`, or `npx` with a shell and `bun run` below it.
 * Empty when no script runner started it, as under systemd, where a lost parent means nothing.
 */
function findLaunchers(): Link[] {
  const { npm_lifecycle_event } = process.env;
  if (npm_lifecycle_event === undefined) {
    return [];
  }
  const links: Link[] = [];
  let pid = process.pid;
  for (let level = 1; level <= levelsMax; level += 1) {
    const parent = parentOf(pid);
    if (parent <= 1) {
      break;
    }
    links.push({ pid, parent });
    if (/^np[mx]\b/.test(commandOf(parent))) {
      return links;
    }
    pid = parent;
  }
  return links.slice(0, 1);
}

function parentOf(pid: number): number {
  if (pid === process.pid) {
    return process.ppid;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
