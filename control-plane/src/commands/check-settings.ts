/**
 * Checks whether the environment is a valid configuration, before anything is created for it: `bun
 * src/commands/check-settings.ts`. stdout gets one JSON line for a program: `{"ok":true}` with exit code 0, or
 * `{"ok":false,"error":"..."}` with exit code 1.
 */
import { ConfigError, loadConfig } from "../platform/config.ts";
import { redact } from "../platform/log.ts";

function problemOf(): string | null {
  try {
    loadConfig();
    return null;
  } catch (error) {
    if (error instanceof ConfigError) {
      return redact(error.message);
    }
    throw error;
  }
}

const problem = problemOf();
process.stdout.write(`${JSON.stringify(problem === null ? { ok: true } : { ok: false, error: problem })}\n`);
process.exitCode = problem === null ? 0 : 1;
