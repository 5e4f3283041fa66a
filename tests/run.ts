/**
 * Runs checks and tests: `bun tests/run.ts check`, `test`, `test:full`, kinds (`unit`, `integration`, ...) and parts of
 * file paths (`integration start`). The last line is `N passed, N failed`, with `, N skipped` when there are any.
 */
import { join } from "node:path";

// On a fresh clone no package can be imported before this is done, not even one of this repository.
const installation = Bun.spawn([process.execPath, join(import.meta.dir, "../deploy/start/install-packages.ts")], {
  stdio: ["ignore", "inherit", "inherit"],
});
if ((await installation.exited) === 0) {
  const { runTests } = await import("./runner/main.ts");
  process.exit(await runTests(process.argv.slice(2)));
}
process.stdout.write("0 passed, 1 failed\n");
process.exit(1);
