import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const pollMs = 100;
const waitMsMax = 180_000;

/**
 * Holds a folder as a lock between processes; the lock of a dead process is taken over.
 * @returns a function that releases it
 * @throws Error when another process holds it for minutes
 */
export async function holdBuildLock(folder: string): Promise<() => Promise<void>> {
  const deadline = performance.now() + waitMsMax;
  const owner = join(folder, "pid");
  for (;;) {
    try {
      await mkdir(folder);
      await writeFile(owner, String(process.pid));
      return () => rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
        throw error;
      }
    }
    if (performance.now() > deadline) {
      throw new Error(`another build holds ${folder}`);
    }
    const pid = Number(await readFile(owner, "utf8").catch(() => ""));
    if (pid > 0 && !isAlive(pid)) {
      await rm(folder, { recursive: true, force: true });
    }
    await Bun.sleep(pollMs);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user can't be signalled, but it exists.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
