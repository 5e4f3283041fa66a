import { join } from "node:path";

const root = join(import.meta.dir, "../../..");

/**
 * The folder of the current build of the web UI, for `WEB_DIST`. Builds what has changed; if several tests need it at
 * the same time, one builds and the others wait.
 */
export async function builtWeb(): Promise<string> {
  const child = Bun.spawn([process.execPath, join(root, "web/build/build-web.ts")], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0) {
    throw new Error(`the web could not be built: ${errors}${output}`);
  }
  return join(root, "web/dist");
}
