import { existsSync } from "node:fs";
import { join } from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { readEnvFile, serviceRoot } from "./service-root.ts";
import { readSettings, type StartSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

async function run(command: readonly string[], settings: StartSettings, databaseUrl: string): Promise<number> {
  const child = Bun.spawn([process.execPath, ...command], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: settings.dataDirectory },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

/**
 * Runs a command, which begins with a file in a checkout and with its name in the one-file build, with DATABASE_URL as
 * the service has it. The embedded Postgres is started for it unless it runs.
 * @returns its exit code
 * @throws StartError without a database
 */
export async function runOnDatabase(command: readonly string[]): Promise<number> {
  readEnvFile();
  const settings = readSettings(serviceRoot, process.env, []);
  const home = join(settings.dataDirectory, "postgres");
  const known = settings.databaseUrl ?? (await findRunningPostgres(home));
  if (known !== null) {
    return await run(command, settings, known);
  }
  if (!existsSync(home)) {
    throw new StartError("There is no database yet. Start the service once, or set DATABASE_URL.");
  }
  const server = await startEmbeddedPostgres({ home });
  try {
    return await run(command, settings, server.url);
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
    process.exitCode = await runOnDatabase([join(serviceRoot, file), ...process.argv.slice(2)]);
  } catch (error) {
    if (!(error instanceof StartError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
