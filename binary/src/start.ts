/** `sluice start`: what `bun start` is in a checkout. Without DATABASE_URL it takes the Postgres beside the file. */
import { hasPostgres } from "@sluice/deploy/start/postgres/binaries";
import { runSupervisor } from "@sluice/deploy/start/run-supervisor";
import { serviceRoot } from "@sluice/deploy/start/service-root";
import { readSettings } from "@sluice/deploy/start/settings";
import { StartError } from "@sluice/deploy/start/start-error";
import { refuseWithoutDatabase } from "./need-database.ts";

async function main(): Promise<number> {
  const settings = readSettings(serviceRoot, process.env, []);
  if (settings.databaseUrl === null && !(await hasPostgres())) {
    refuseWithoutDatabase("start");
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
