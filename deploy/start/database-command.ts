import { existsSync } from "node:fs";
import { join } from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { readSettings, type StartSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

const root = join(import.meta.dir, "../..");

async function run(file: string, settings: StartSettings, databaseUrl: string): Promise<number> {
  const child = Bun.spawn([process.execPath, join(root, file), ...process.argv.slice(2)], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: settings.dataDirectory },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

async function runOnDatabase(file: string): Promise<number> {
  const envFile = join(root, ".env");
  if (existsSync(envFile)) {
    process.loadEnvFile(envFile);
  }
  const settings = readSettings(root, process.env, []);
  const home = join(settings.dataDirectory, "postgres");
  const known = settings.databaseUrl ?? (await findRunningPostgres(home));
  if (known !== null) {
    return await run(file, settings, known);
  }
  if (!existsSync(home)) {
    throw new StartError("There is no database yet. Start the service once, or set DATABASE_URL.");
  }
  const server = await startEmbeddedPostgres({ home });
  try {
    return await run(file, settings, server.url);
  } finally {
    await server.stop();
  }
}

/**
 * Runs a command of the control plane on the service's database, whether the service runs or not, with the arguments of
 * the command line. Its exit code becomes ours.
 * @param file relative to the checkout
 */
export async function runDatabaseCommand(file: string): Promise<void> {
  try {
    process.exitCode = await runOnDatabase(file);
  } catch (error) {
    if (!(error instanceof StartError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
