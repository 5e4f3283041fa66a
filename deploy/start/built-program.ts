import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { commandsOf, type ProgramCommands } from "./program-sources.ts";
import { formatDuration, runStep, say } from "./progress.ts";

/** The inputs of a build, besides the installed packages. */
export const buildInputs = [
  "control-plane/src/**/*",
  "control-plane/*.json",
  "packages/*/src/**/*",
  "packages/*/*.json",
  "deploy/start/{bundle-program,program-sources}.ts",
  "{bun.lock,tsconfig.json}",
];
const digestLength = 16;
/** Beside the one that is made. */
const keptBuilds = 2;
const buildMsMax = 120_000;
/** An older draft was left by a build that was killed. */
const draftMsMax = 600_000;
const reasonLengthMax = 300;

/**
 * The commands of the built control plane, which takes less memory than its source and starts sooner. It is built if its
 * sources have changed. If that fails, a line says why.
 * @returns null where the programs have to run from source
 */
export async function builtCommands(root: string): Promise<ProgramCommands | null> {
  try {
    const folder = await ensureBuilt(root);
    return commandsOf((source) => join(folder, `${basename(source, ".ts")}.js`));
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, reasonLengthMax);
    say("program", `runs from source, which takes more memory, because it can't be built: ${reason}`);
    return null;
  }
}

/**
 * Builds the control plane if its sources have changed.
 * @returns its folder, in which each program has the name of its source
 */
export async function ensureBuilt(root: string): Promise<string> {
  const digest = await digestSources(root);
  const builds = join(root, "control-plane/dist");
  const folder = join(builds, digest);
  if (existsSync(folder)) {
    // Keeps a build that was started lately from being removed. In a read-only checkout nothing is removed.
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return folder;
  }
  await runStep("program", "building it (only when its sources have changed)", async () => {
    await mkdir(builds, { recursive: true });
    // Before the build, which may be killed each time. Another start may remove the same.
    await removeOld(builds).catch(() => undefined);
    const draft = `${folder}.${process.pid}.tmp`;
    try {
      await bundle(root, draft);
      if ((await digestSources(root)) !== digest) {
        throw new Error("its sources changed meanwhile");
      }
      await rename(draft, folder).catch((error: unknown) => {
        // Another start has built the same.
        if (!existsSync(folder)) {
          throw error;
        }
      });
    } finally {
      await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    }
    return { summary: "built" };
  });
  return folder;
}

/** The name of a build: equal only if all of its inputs are. */
async function digestSources(root: string): Promise<string> {
  const hash = createHash("sha256").update(Bun.revision);
  // The lock file may be newer than what is installed; each folder here has the name of a package with its version.
  const installed = await readdir(join(root, "node_modules/.bun"));
  hash.update(installed.sort().join("\0"));
  for (const pattern of buildInputs) {
    for (const file of [...new Bun.Glob(pattern).scanSync({ cwd: root, onlyFiles: true })].sort()) {
      hash.update(`${file}\0`).update(await readFile(join(root, file)));
    }
  }
  return hash.digest("hex").slice(0, digestLength);
}

async function bundle(root: string, folder: string): Promise<void> {
  const child = Bun.spawn([process.execPath, join(root, "deploy/start/bundle-program.ts"), folder], {
    cwd: root,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: buildMsMax,
    killSignal: "SIGKILL",
  });
  const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (child.signalCode !== null) {
    throw new Error(`the bundler was ended by ${child.signalCode}, or took ${formatDuration(buildMsMax)}`);
  }
  if (exitCode !== 0) {
    throw new Error(/\berror: (.*)/.exec(Bun.stripANSI(said))?.[1] ?? `the bundler ended with ${exitCode}`);
  }
}

/** A process that runs an older build may still have to read parts of it. */
async function removeOld(builds: string): Promise<void> {
  const entries = await Promise.all(
    (await readdir(builds)).map(async (name) => ({ name, usedMs: (await stat(join(builds, name))).mtimeMs })),
  );
  const drafts = entries.filter(({ name, usedMs }) => name.endsWith(".tmp") && Date.now() - usedMs > draftMsMax);
  const made = entries.filter(({ name }) => !name.endsWith(".tmp")).sort((a, b) => b.usedMs - a.usedMs);
  for (const { name } of [...drafts, ...made.slice(keptBuilds)]) {
    await rm(join(builds, name), { recursive: true, force: true });
  }
}
