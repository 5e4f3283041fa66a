/**
 * Brings the database of MIGRATION_DATABASE_URL, or else DATABASE_URL, up to date: `bun src/commands/migrate.ts`.
 * Progress for a person goes to stderr; stdout gets one JSON line for a program:
 * `{"ok":true,"duration_ms":12}` with exit code 0, or `{"ok":false,"error":"..."}` with exit code 1.
 */
import { migrate } from "../db/migrate.ts";
import { loadConfig } from "../platform/config.ts";
import { redact } from "../platform/log.ts";

async function main(): Promise<number> {
  const startedAt = performance.now();
  try {
    const config = loadConfig();
    await migrate(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL, (line) =>
      process.stderr.write(`migrate: ${line}\n`),
    );
    print({ ok: true, duration_ms: Math.round(performance.now() - startedAt) });
    return 0;
  } catch (error) {
    const sentence = redact(error instanceof Error ? error.message : String(error));
    process.stderr.write(`migrate: ${sentence}\n`);
    print({ ok: false, error: sentence });
    return 1;
  }
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

process.exitCode = await main();
