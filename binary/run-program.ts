import { join } from "node:path";

const root = join(import.meta.dir, "..");

/**
 * Runs a program in the root of the repository and returns what it wrote.
 * @throws Error with the end of what it wrote when it fails, or is not installed
 */
export function runProgram(command: readonly string[]): string {
  const name = command.slice(0, 3).join(" ");
  if (Bun.which(command[0] ?? "") === null) {
    throw new Error(`${command[0]} is not installed`);
  }
  const result = Bun.spawnSync([...command], { cwd: root, stdout: "pipe", stderr: "pipe" });
  if (result.exitCode !== 0) {
    throw new Error(`${name} failed: ${result.stderr.toString().trim().slice(-2_000)}`);
  }
  return result.stdout.toString().trim();
}
