/**
 * `bun deploy/start/install-packages.ts`: installs the packages that running takes if needed, and nothing else; with
 * `--all` also those of tests and checks.
 */
import { join } from "node:path";
import { ensureInstalled } from "./install.ts";
import { StartError } from "./start-error.ts";

try {
  await ensureInstalled(join(import.meta.dir, "../.."), process.argv.includes("--all") ? "all" : "run");
} catch (error) {
  if (!(error instanceof StartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
