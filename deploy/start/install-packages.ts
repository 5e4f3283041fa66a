/** `bun deploy/start/install-packages.ts`: installs the packages of the checkout if needed, and nothing else. */
import { join } from "node:path";
import { ensureInstalled } from "./install.ts";
import { StartError } from "./start-error.ts";

try {
  await ensureInstalled(join(import.meta.dir, "../.."));
} catch (error) {
  if (!(error instanceof StartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
