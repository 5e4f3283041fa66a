/** `sluice start`: what `bun start` is in a checkout, with the database of DATABASE_URL. */
import { runSupervisor } from "@sluice/deploy/start/run-supervisor";
import { readSettings } from "@sluice/deploy/start/settings";
import { StartError } from "@sluice/deploy/start/start-error";

async function main(): Promise<number> {
  const settings = readSettings(process.cwd(), process.env, process.argv.slice(2));
  if (settings.databaseUrl === null) {
    throw new StartError("Set DATABASE_URL to a Postgres of version 15 or later; this program does not bring one.");
  }
  if (settings.isReloading) {
    throw new StartError("--reload is for a checkout.");
  }
  return await runSupervisor(settings);
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof StartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
