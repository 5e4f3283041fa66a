import { redact } from "./log.ts";

/** A command line that can't be right: nothing was done. */
export class WrongCommandError extends Error {}

const exitCodes = { failed: 1, wrongCommand: 2 } as const;

/**
 * Says on stderr why a command ended, without credentials, and sets its exit code: 2 for a wrong command line, of which
 * `parseArgs` finds some, otherwise 1.
 */
export function failCommand(name: string, error: unknown): void {
  process.stderr.write(`${name}: ${redact(error instanceof Error ? error.message : String(error))}\n`);
  const { code } = error as { readonly code?: unknown };
  const isWrong = error instanceof WrongCommandError || String(code).startsWith("ERR_PARSE_ARGS_");
  process.exitCode = isWrong ? exitCodes.wrongCommand : exitCodes.failed;
}
