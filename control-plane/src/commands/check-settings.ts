/**
 * Checks whether the environment is a valid configuration, before anything is created for it: `bun
 * src/commands/check-settings.ts`. stdout gets one JSON line for a program: `{"ok":true}` with exit code 0, or
 * `{"ok":false,"error":"..."}` with exit code 1.
 */
import { ConfigError, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, MasterKeyError } from "../platform/crypto/master-key.ts";
import { redact } from "../platform/log.ts";

async function problemOf(): Promise<string | null> {
  try {
    const source = masterKeySource(loadConfig());
    // Development makes its own key when it first needs one.
    if (source.isProduction || source.value !== null || source.file !== null) {
      await loadMasterKey(source);
    }
    return null;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof MasterKeyError) {
      return redact(error.message);
    }
    throw error;
  }
}

const problem = await problemOf();
process.stdout.write(`${JSON.stringify(problem === null ? { ok: true } : { ok: false, error: problem })}\n`);
process.exitCode = problem === null ? 0 : 1;
