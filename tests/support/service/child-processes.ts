import { readdirSync, readFileSync } from "node:fs";
import type { Subprocess } from "bun";

/**
 * The ids of the programs that a process has started, such as the one that draws the pages. The process is paused, so
 * that it starts no more; kill it next. Empty when it has ended, and on a system without /proc.
 */
export function pauseAndListChildren(parent: Subprocess): number[] {
  parent.kill("SIGSTOP");
  try {
    const threads = `/proc/${parent.pid}/task`;
    return readdirSync(threads).flatMap((thread) =>
      readFileSync(`${threads}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

export function endProcesses(ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
