/** `bun start`: from a clone to a running service. `--reload` restarts the service when its source changes. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, startOver } from "./install.ts";
import { say } from "./progress.ts";
import { StartError } from "./start-error.ts";

// Only what comes with Bun may be imported here: on a fresh clone the first step installs the packages.

const root = join(import.meta.dir, "../..");

async function main(): Promise<void> {
  const envFile = join(root, ".env");
  if (existsSync(envFile)) {
    process.loadEnvFile(envFile);
    say("settings", "read from .env; what the environment sets wins");
  }
  if (await ensureInstalled(root, "run")) {
    startOver(import.meta.path);
  }
  const { runSupervisor } = await import("./run-supervisor.ts");
  const { readSettings } = await import("./settings.ts");
  const { builtCommands } = await import("./built-program.ts");
  const settings = readSettings(root, process.env, process.argv.slice(2));
  // A developer wants to see the source running.
  const built = settings.isReloading ? null : await builtCommands(root);
  process.exit(await runSupervisor({ ...settings, programs: { ...settings.programs, ...built } }));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartError)) {
    throw error;
  }
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
}
