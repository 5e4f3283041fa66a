/** Which core runs what: the gateway under test alone on one, everything else on the other. */
import { availableParallelism } from "node:os";

export const ARM_CORE = 1;
export const LOAD_CORE = 0;

/** Moves this process with all its threads, and so every child to come, to the core of the load. */
export function moveToLoadCore(): void {
  moveToCore(LOAD_CORE);
}

/** Moves this process to a core; running children stay where they are. */
export function moveToCore(core: number): void {
  const command = ["taskset", "--all-tasks", "--cpu-list", "--pid", String(core), String(process.pid)];
  const moved = Bun.spawnSync(command, { stdout: "ignore" });
  if (!moved.success) {
    throw new Error(`taskset could not move the bench to core ${core}: ${moved.stderr.toString()}`);
  }
}

/** Why this machine can't run the bench, or null. */
export function reasonAgainstMachine(): string | null {
  if (process.platform !== "linux") {
    return "the bench reads /proc and pins processes to cores: it needs Linux";
  }
  if (Bun.which("taskset") === null) {
    return "taskset (package util-linux) is missing";
  }
  return availableParallelism() < 2 ? "the bench needs two cores: one for the gateway, one for the load" : null;
}
