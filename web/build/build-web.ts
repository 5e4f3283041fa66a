/**
 * Builds the web UI into `dist/<hash of the sources>` and names that folder in `dist/current`. Silent and without
 * effect when it is already built. `--force` builds anyway. Progress goes to stderr, the result as a line of JSON to
 * stdout.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { holdBuildLock } from "./build-lock.ts";
import { hashSources } from "./source-hash.ts";

const webRoot = join(import.meta.dir, "..");
const distFolder = join(webRoot, "dist");
const keptBuilds = 3;
const reasonLinesMax = 16;

async function main(isForced: boolean): Promise<void> {
  const hash = await hashSources(webRoot);
  const target = join(distFolder, hash);
  const isBuilt = (): boolean => !isForced && existsSync(join(target, "client"));
  let state = "unchanged";
  if (!isBuilt()) {
    await mkdir(distFolder, { recursive: true });
    const release = await holdBuildLock(join(distFolder, "lock"));
    try {
      if (!isBuilt()) {
        await build(target);
        state = "built";
      }
    } finally {
      await release();
    }
  }
  // Keeps a build that was used lately from being removed. In a read-only folder nothing is removed.
  await utimes(target, new Date(), new Date()).catch(() => undefined);
  await nameCurrent(hash);
  process.stdout.write(`${JSON.stringify({ state, hash, directory: target })}\n`);
}

async function build(target: string): Promise<void> {
  process.stderr.write("the sources have changed; building\n");
  const folder = `${target}.${process.pid}.tmp`;
  await rm(folder, { recursive: true, force: true });
  // Only a build needs the bundler, while the check whether a build is needed must be fast.
  const { bundle } = await import("./bundle.ts");
  try {
    await bundle(webRoot, folder);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  await removeOldBuilds();
}

/** Written to a temporary file and renamed, so that nobody reads half a name; not at all if it is named, in a folder that may be read-only. */
async function nameCurrent(hash: string): Promise<void> {
  const named = await readFile(join(distFolder, "current"), "utf8").catch(() => "");
  if (named.trim() === hash) {
    return;
  }
  const draft = join(distFolder, `current.${process.pid}.tmp`);
  await writeFile(draft, `${hash}\n`);
  await rename(draft, join(distFolder, "current"));
}

/** A process that still serves an older build reads it when it sends a file. */
async function removeOldBuilds(): Promise<void> {
  const names = (await readdir(distFolder)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const builds = await Promise.all(
    names.map(async (name) => ({ name, usedMs: (await stat(join(distFolder, name))).mtimeMs })),
  );
  for (const { name } of builds.sort((a, b) => b.usedMs - a.usedMs).slice(keptBuilds)) {
    await rm(join(distFolder, name), { recursive: true, force: true });
  }
}

/** The useful part of a bundler message: the file, the position and the error, without the bundler's own stack. */
function readable(message: string): string {
  const lines = Bun.stripANSI(message)
    .replaceAll(webRoot, "web")
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*at /.test(line));
  return lines.slice(0, reasonLinesMax).join("\n");
}

try {
  await main(process.argv.includes("--force"));
} catch (error) {
  const reason = readable(error instanceof Error ? error.message : String(error));
  process.stdout.write(`${JSON.stringify({ error: `The web could not be built. ${reason}` })}\n`);
  process.exitCode = 1;
}
