import type { Outline } from "./command.ts";
import { Failure } from "./failure.ts";
import { standardInput } from "./input.ts";
import { run } from "./run.ts";
import { forTerminal } from "./show.ts";

/**
 * Executes the command line of this process.
 * @param programs commands of the one file that the caller executes itself, for help and completion
 */
export async function runProcess(programs: readonly Outline[]): Promise<void> {
  // The reader of a pipe may leave early, as `head` does.
  process.stdout.on("error", () => process.exit());
  try {
    const { out, note } = await run(process.argv.slice(2), { env: process.env, input: standardInput, programs });
    process.stdout.write(`${out}\n`);
    if (note !== null) {
      process.stderr.write(`${forTerminal(note)}\n`);
    }
  } catch (error) {
    failWith(error);
  }
}

/** Says what failed, and sets the exit code. */
export function failWith(error: unknown): void {
  process.stderr.write(`${forTerminal(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : 1;
}
