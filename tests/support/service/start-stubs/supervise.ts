/**
 * The start program with stubs for what it starts, so that its own behaviour can be tried in a moment. With
 * STUB_WORKER the workers run that program, and nothing else but the pages is a stub.
 */
import { join } from "node:path";
import { runSupervisor } from "@sluice/deploy/start/run-supervisor";
import { readSettings } from "@sluice/deploy/start/settings";
import { StartError } from "@sluice/deploy/start/start-error";

const repository = join(import.meta.dir, "../../../..");
const { STUB_ROOT, STUB_WORKER } = process.env;
const stub = (name: string): string[] => [join(import.meta.dir, `${name}.ts`)];
try {
  const settings = readSettings(repository, process.env, process.argv.slice(2));
  // A separate root has its own worker, whose source can then be changed.
  const worker = STUB_ROOT === undefined ? stub("worker") : [join(STUB_ROOT, "control-plane/src/main.ts")];
  const stubs =
    STUB_WORKER === undefined ? { seed: stub("seed"), sandbox: stub("sandbox"), worker } : { worker: [STUB_WORKER] };
  const programs = { ...settings.programs, web: null, ...stubs };
  process.exit(await runSupervisor({ ...settings, root: STUB_ROOT ?? repository, programs }));
} catch (error) {
  process.stderr.write(error instanceof StartError ? error.message : Bun.inspect(error));
  process.exit(1);
}
