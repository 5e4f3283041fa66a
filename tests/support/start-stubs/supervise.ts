/** The start program with stubs for what it starts, so that its own behaviour can be tried in a moment. */
import { join } from "node:path";
import { runSupervisor } from "@sluice/deploy/start/run-supervisor";
import { readSettings } from "@sluice/deploy/start/settings";
import { StartError } from "@sluice/deploy/start/start-error";

const root = join(import.meta.dir, "../../..");
const stub = (name: string): string[] => [join(import.meta.dir, `${name}.ts`)];
try {
  const settings = readSettings(root, process.env, process.argv.slice(2));
  const programs = { ...settings.programs, seed: stub("seed"), sandbox: stub("sandbox"), worker: stub("worker") };
  process.exit(await runSupervisor({ ...settings, programs }));
} catch (error) {
  process.stderr.write(error instanceof StartError ? error.message : Bun.inspect(error));
  process.exit(1);
}
