/**
 * `bun run admin:create`: makes an admin in the database of the service, whether it runs or not. The words that follow go
 * to the command of the control plane, `control-plane/src/commands/create-admin.ts`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { readSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

const root = join(import.meta.dir, "../..");
const command = join(root, "control-plane/src/commands/create-admin.ts");

async function run(databaseUrl: string): Promise<number> {
  const child = Bun.spawn([process.execPath, command, ...process.argv.slice(2)], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

async function main(): Promise<number> {
  const envFile = join(root, ".env");
  if (existsSync(envFile)) {
    process.loadEnvFile(envFile);
  }
  const settings = readSettings(root, process.env, []);
  const home = join(settings.dataDirectory, "postgres");
  const known = settings.databaseUrl ?? (await findRunningPostgres(home));
  if (known !== null) {
    return await run(known);
  }
  if (!existsSync(home)) {
    throw new StartError("There is no database yet. Start the service once, or set DATABASE_URL.");
  }
  const server = await startEmbeddedPostgres({ home });
  try {
    return await run(server.url);
  } finally {
    await server.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof StartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
