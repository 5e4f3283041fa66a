/** The start program with stubs for what it starts, so that its own behaviour can be tried in a moment. */
import { join } from "node:path";
import { runSupervisor } from "@sluice/deploy/start/run-supervisor";
import { readSettings } from "@sluice/deploy/start/settings";

const root = join(import.meta.dir, "../../..");
const stub = (name: string): string[] => [join(import.meta.dir, `${name}.ts`)];
const settings = readSettings(root, process.env, process.argv.slice(2));
process.exit(
  await runSupervisor({
    ...settings,
    programs: { ...settings.programs, seed: stub("seed"), sandbox: stub("sandbox"), worker: stub("worker") },
  }),
);
