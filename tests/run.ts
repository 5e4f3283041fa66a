/**
 * Runs checks and tests: `bun tests/run.ts check`, `test`, `test:full`, kinds (`unit`, `integration`, ...) and parts of
 * file paths (`integration start`). The last line is `N passed, N failed`, with `, N skipped` when there are any.
 */
import { join } from "node:path";

// On a fresh clone no package can be imported before this is done, not even one of this repository.
const installer = join(import.meta.dir, "../deploy/start/install-packages.ts");
const installation = Bun.spawnSync([process.execPath, installer, "--all"], { stdio: ["ignore", "inherit", "inherit"] });
if (installation.exitCode !== 0) {
  process.stdout.write("0 passed, 1 failed\n");
  process.exit(1);
}
// A fresh process, because this one remembers that there were no packages.
const runner = join(import.meta.dir, "runner/main.ts");
process.execve?.(process.execPath, [process.execPath, runner, ...process.argv.slice(2)], { ...process.env });
